"""The Chinese rules of extract, family by family, on sentences of their own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.extraction.cjk import fold_han
from memtui.engine.plans.extraction.rules import classify as classify_sentence
from memtui.engine.plans.extraction.statements import sentences
from memtui.engine.plans.extraction.zh import classify, is_continuation

FEEDBACK = [
    "以后提交信息都用祈使句，别写“修复了一些问题”",
    "任何情况下都不要往主分支强推代码",
    "第三方库升级一次只升一个，混在一起没法排查",
    "别动不动就把整个文件重写一遍",
    "涉及钱的计算必须先写测试再动代码",
    "没有我点头的重构不要提，先说清楚收益",
    "变量名统一用英文全拼，缩写没人猜得出来",
    "遇到拿不准的需求就停下来问我，不要自己脑补",
    "报錯訊息請保留原文，翻譯過的我查不到",
    "對，就是這種先講結論的寫法，以後都照這樣來",
]
USER = [
    "我习惯先看测试再看实现，讲解的时候按这个顺序",
    "本人负责支付后端，前端那一套基本不懂",
    "写了八年 Java，刚转到 Go 三个月",
    "我们组更倾向用 rebase，不太喜欢合并提交",
    "我色弱，图表别只靠红绿区分",
    "我主力机是 Mac，命令行用的是 fish",
    "我是产品经理，看得懂 SQL 但写不了代码",
]
PROJECT = [
    "3 月 18 号封版，之后只合紧急修复",
    "评审会上拍板了，消息总线用 NATS，不自研了",
    "短信通道归老郑管，他休假就找运营的小吕对接",
    "客户合同里写明数据不能离开本地机房",
    "去年 11 月那次事故的根因是证书过期，整改放在 Q1",
    "今年的目标是把首屏压到一秒以内",
    "老系统要兼容到 2027 年，接口不能破坏",
]
REFERENCE = [
    "线上指标都在 https://grafana.example.cn/d/pay 这个看板上",
    "需求统一记在 TAPD 的「会员」项目里，Jira 不用了",
    "设计稿以 Figma 的「会员中心」文件为准",
    "压测报告放在 Confluence 的「性能」空间",
]
NOT_DURABLE = [
    "把这个函数拆成两个，不要改对外接口",
    "帮我写个脚本，必须支持断点续传",
    "今天先不要提交，等我看完再说",
    "现在别连生产库，运维在做演练",
    "要是每次都要审批，流水线会不会太慢",
    "你确定这个正则永远匹配不到空行吗",
    "我们是不是说过一律不用全局变量",
    "为什么这里必须加锁",
    "刚才我把截止日期改到下周了，已经同步",
    "测试全过了，已经合到主分支",
    "哈哈这段代码我永远忘不了",
    "谢谢，你总是这么靠谱",
    "翻了下提交记录，配置一直是小吴在改",
    "同事说以后都不用写周报了",
    "听说网关组决定换成 Envoy 了，还没公布",
    "算了，还是用原来的方案吧",
    "我猜是缓存的问题，不敢肯定",
    "删掉临时目录，别忘了保留配置文件",
    "生成一份 12 月的发布说明，不要超过一页",
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
    statement = classify("日志里的手机号码一律打码，不然审计过不去。", "")
    assert statement is not None
    assert statement.summary == "日志里的手机号码一律打码"
    assert statement.why == "不然审计过不去"


def test_a_reason_that_comes_first() -> None:
    statement = classify("因为合规要求，导出的文件以后一律走审批流程", "")
    assert statement is not None
    assert statement.summary == "导出的文件以后一律走审批流程"
    assert statement.why == "合规要求"


def test_a_reason_stays_where_the_rest_is_too_short() -> None:
    statement = classify("以后一律先问我，不然会出乱子", "")
    assert statement is not None
    assert statement.summary == "以后一律先问我，不然会出乱子"
    assert statement.why is None


def test_the_reason_of_the_next_sentence() -> None:
    statement = classify("迁移脚本都要附回滚脚本。", "去年有一次没法回退，折腾到天亮。")
    assert statement is not None
    assert statement.why == "去年有一次没法回退，折腾到天亮"


def test_how_to_apply_comes_from_the_next_sentence() -> None:
    statement = classify("压测报告都放在 Confluence 的「性能」空间。", "遇到抖动先去那里比对。")
    assert statement is not None
    assert statement.how_to_apply == "遇到抖动先去那里比对"


def test_an_opening_is_tidied_away() -> None:
    statement = classify("记住，接口返回的时间统一用 UTC。", "")
    assert statement is not None
    assert statement.summary == "接口返回的时间统一用 UTC"


def test_a_quoted_word_is_only_mentioned() -> None:
    assert classify("文档里有“永远”和“必须”两个词需要核对", "") is None


def test_a_directive_behind_a_request_belongs_to_the_task() -> None:
    message = "帮我写一个导出脚本。列名必须保留中文，不要翻译。"
    found = [classify_sentence(sentence) for sentence in sentences(message)]
    assert found == [None, None]
    assert not is_continuation("以后列名一律保留中文", "帮我写一个导出脚本。")


def test_a_reason_is_not_kept_twice() -> None:
    message = "单测里不要连真的数据库。因为去年 3 月 5 号上线前连错了库。"
    found = [classify_sentence(sentence) for sentence in sentences(message)]
    assert found[0] is not None
    assert found[0].why == "因为去年 3 月 5 号上线前连错了库"
    assert found[1] is None


def test_traditional_characters_read_as_simplified() -> None:
    assert fold_han("請一律用繁體，ＡＢＣ") == "请一律用繁体，ＡＢＣ"
    statement = classify("以後註解一律寫英文，外包同事看不懂中文", "")
    assert statement is not None
    assert statement.summary == "以後註解一律寫英文，外包同事看不懂中文"


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_is_read(text: str, following: str) -> None:
    statement = classify(text, following)
    assert statement is None or statement.summary
    assert len(fold_han(text)) == len(text)


@given(st.lists(st.sampled_from([*FEEDBACK, *NOT_DURABLE, "，", "。", "a", " "]), max_size=8))
def test_the_summary_is_in_the_users_own_words(parts: list[str]) -> None:
    text = "".join(parts)
    statement = classify(text, "")
    if statement is not None:
        assert statement.summary[1:] in text
        assert statement.why is None or statement.why[1:] in text


@pytest.mark.parametrize(
    "piece",
    [
        "如果",
        "以后",
        "我是",
        "不要",
        "在 jira ",
        "3 月 5 号",
        "因为，",
        "a.b",
        "「",
        "每次都要",
        "一个",
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
