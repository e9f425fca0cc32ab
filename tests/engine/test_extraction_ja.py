"""The Japanese rules of extract, family by family, on sentences of their own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.extraction.cjk import fold_kana
from memtui.engine.plans.extraction.ja import classify, is_continuation
from memtui.engine.plans.extraction.rules import classify as classify_sentence
from memtui.engine.plans.extraction.statements import sentences

FEEDBACK = [
    "今後コミットの件名は命令形で統一してください",
    "勝手に設定ファイルを書き換えるのはやめてほしい",
    "本番の鍵をログに出すのは禁止",
    "テストの期待値を実装に合わせて直すのは二度としないで",
    "大きな変更に入る前に、方針だけ先に見せて",
    "仕様が曖昧なときは推測で埋めずに質問してください",
    "所要時間の数字には必ず単位を付けること",
    "絵文字は使わないでください、社外にも見せるので",
    "そうそう、その進め方がちょうどいいので今後もそれでお願いします",
    "個人名をサンプルに使うのは避けてもらえますか",
    "依存の更新は1つずつ。まとめると原因が追えない",
]
USER = [
    "自分はインフラ担当で、画面まわりはほとんど触ったことがないです",
    "Kotlin歴は5年ですが、Swiftは始めて1か月です",
    "普段はEmacsで書いていて、マウスはほぼ使いません",
    "説明は文章より表のほうが頭に入るタイプです",
    "色弱なので、赤と緑だけで区別する図は読めません",
    "朝型で、16時以降はほとんど返事できません",
]
PROJECT = [
    "次期版のリリースは5月14日で、コードフリーズは4月末です",
    "検索基盤は自前をやめてマネージドに移行することに決まった",
    "請求まわりは小田さんの担当で、変更は必ず相談が要ります",
    "客先との契約で、データは国外のリージョンに置けません",
    "2月の障害の再発防止として、証明書の自動更新を上期の目標にしています",
    "対応OSはAndroid 10以上のみです",
]
REFERENCE = [
    "本番のメトリクスは https://grafana.example.jp/d/core にまとまっています",
    "不具合票はBacklogのSHOPプロジェクトで管理しています",
    "画面の正はFigmaの「店舗アプリ2」です",
    "議事録はNotionに置いてあるので、経緯はそちらを参照",
]
NOT_DURABLE = [
    "この関数だけ分割して、公開の型は変えないでね",
    "CSVを読むスクリプトを書いてください",
    "今日はまだコミットしないでおいて",
    "いま本番には絶対つながないで、メンテ中です",
    "もし全部の関数にテスト必須だったら、誰も続かないかもしれない",
    "締切って毎回こんなに厳しかったっけ",
    "直接pushは原則禁止にするべきでしょうか",
    "なんでここは必ず二回呼ばれるの",
    "さっき締切を2日延ばして共有もしました",
    "テストが全部通ったのでマージしました",
    "いつもありがとうございます、助かりました",
    "コミット履歴を見ると、設定はずっと森さんが変えてます",
    "先方から今後は必ず押印してほしいと言われた",
    "隣のチームは採用を見送ったらしい",
    "やっぱりさっきの案でいいや",
    "キャッシュが原因だと思うけど自信はない",
    "急がなくていいですよ、ゆっくりで",
    "12月分のリリースノートを作って",
]


@pytest.mark.parametrize("text", FEEDBACK)
def test_a_directive_that_stands_is_feedback(text: str) -> None:
    statement = classify(text, "")
    assert statement is not None
    assert statement.type == "feedback"


@pytest.mark.parametrize("text", USER)
def test_what_the_user_says_of_themselves(text: str) -> None:
    statement = classify(text, "")
    assert statement is not None
    assert statement.type == "user"


@pytest.mark.parametrize("text", PROJECT)
def test_what_holds_for_the_project(text: str) -> None:
    statement = classify(text, "")
    assert statement is not None
    assert statement.type == "project"


@pytest.mark.parametrize("text", REFERENCE)
def test_a_pointer_with_its_purpose(text: str) -> None:
    statement = classify(text, "")
    assert statement is not None
    assert statement.type == "reference"


@pytest.mark.parametrize("text", NOT_DURABLE)
def test_what_only_looks_durable(text: str) -> None:
    assert classify(text, "") is None


def test_the_reason_stands_apart_from_the_summary() -> None:
    statement = classify("社外にも配るので、日付の欄は毎回西暦で書いてください。", "")
    assert statement is not None
    assert statement.summary == "日付の欄は毎回西暦で書いてください"
    assert statement.why == "社外にも配るので"


def test_a_reason_behind_the_directive() -> None:
    statement = classify("マスタの値は絶対に書き換えないこと、でないと精算が合わなくなる", "")
    assert statement is not None
    assert statement.summary == "マスタの値は絶対に書き換えないこと"
    assert statement.why == "でないと精算が合わなくなる"


def test_the_reason_of_the_next_sentence() -> None:
    statement = classify(
        "集計に浮動小数点は使わないでください。", "前に一円ずれて大騒ぎになったので。"
    )
    assert statement is not None
    assert statement.why == "前に一円ずれて大騒ぎになったので"


def test_how_to_apply_comes_from_the_next_sentence() -> None:
    statement = classify("ログはDatadogの prod-core に入っています。", "障害を追うならまずここ。")
    assert statement is not None
    assert statement.how_to_apply == "障害を追うならまずここ"


def test_an_opening_is_tidied_away() -> None:
    statement = classify("今後は、図の元データも必ず一緒に残すこと。", "")
    assert statement is not None
    assert statement.summary == "図の元データも必ず一緒に残すこと"


def test_a_quoted_word_is_only_mentioned() -> None:
    assert classify("本文の「必ず」と「禁止」を太字にして", "") is None


def test_a_directive_behind_a_request_belongs_to_the_task() -> None:
    message = "集計のスクリプトを書いてください。列名は必ず日本語のままにすること。"
    found = [classify_sentence(sentence) for sentence in sentences(message)]
    assert found == [None, None]
    assert not is_continuation("今後、列名は必ず日本語にすること", "スクリプトを書いてください。")


def test_a_reason_is_not_kept_twice() -> None:
    message = "決済は自社実装にすることに決まった。手数料の契約が3月で切れるので。"
    found = [classify_sentence(sentence) for sentence in sentences(message)]
    assert found[0] is not None
    assert found[0].why == "手数料の契約が3月で切れるので"
    assert found[1] is None


def test_a_polite_question_that_asks_to_refrain_is_a_directive() -> None:
    assert classify("実在の電話番号を例に使うのは控えていただけますか", "") is not None
    assert classify("実在の電話番号を例に使ってもいいですか", "") is None


def test_a_date_range_between_words_is_japanese() -> None:
    statement = classify_sentence("年始は1/4から1/10までデプロイ凍結です")
    assert statement is not None
    assert statement.type == "project"


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_is_read(text: str, following: str) -> None:
    statement = classify(text, following)
    assert statement is None or statement.summary
    assert len(fold_kana(text)) == len(text)


@given(st.lists(st.sampled_from([*FEEDBACK, *NOT_DURABLE, "、", "。", "a", " "]), max_size=8))
def test_the_summary_is_in_the_users_own_words(parts: list[str]) -> None:
    text = "".join(parts)
    statement = classify(text, "")
    if statement is not None:
        assert statement.summary[1:] in text
        assert statement.why is None or statement.why[1:] in text


@pytest.mark.parametrize(
    "piece",
    [
        "もし",
        "今後は",
        "自分は",
        "しないで",
        "jiraに",
        "3月5日",
        "ので、",
        "a.b",
        "「",
        "必ず",
        "ときは",
    ],
)
def test_a_pasted_wall_of_text_is_fast(piece: str) -> None:
    wall = piece * (100_000 // len(piece))
    started = time.perf_counter()
    assert classify(wall, wall) is None
    for sentence in sentences(wall):
        classify_sentence(sentence)
    classify(wall[:400], wall)
    assert time.perf_counter() - started < 2.0
