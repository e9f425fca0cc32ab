"""The Russian rules of extract: each family of speech acts, what looks like one, and the parts."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.engine.plans.extraction import filters, ru_text, rules
from memtui.engine.plans.extraction.ru import classify
from memtui.engine.plans.extraction.statement import Statement


def _found(text: str, following: str = "") -> tuple[str, str] | None:
    statement = classify(text, following)
    return None if statement is None else (statement.type, statement.rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Хватит добавлять комментарии к каждой строчке", "stop doing"),
        ("Больше никогда не запускай миграции на боевой базе", "stop doing"),
        ("Не называй классы Manager и Helper", "don't"),
        ("Не трогай сгенерированный код в папке gen", "don't"),
        ("Всегда объясняй, зачем, а не только как", "always / never"),
        ("Избегай наследования, композиция читается лучше", "standing order"),
        ("Результаты бенчмарков прикладывайте с дисперсией", "standing order"),
        ("Ошибки наверх не глотать, либо обработать, либо пробросить", "standing order"),
        ("Хардкодить строки в UI нельзя, всё через локализацию.", "forbidden"),
        ("force push в общие ветки запрещён", "forbidden"),
        ("Подписи к графикам обязательны, с единицами измерения", "required"),
        ("Перед любым изменением схемы спрашивай меня.", "when … then"),
        ("Генерируешь данные для тестов — фиксируй seed.", "when … then"),
        ("если сомневаешься между двумя решениями, покажи оба", "when … then"),
        ("Да, вот такой формат ревью мне нравится, продолжай в том же духе.", "confirmation"),
        ("Запомни: тесты у нас только через make test", "remember"),
        ("хочу видеть сначала интерфейс функции, а уж потом реализацию", "wish"),
        ("Логи пишем структурированные, никаких print.", "stop doing"),
        ("Фичи прячем за флагами", "convention"),
        ("Даты всегда в UTC и ISO-8601", "format and style"),
        ("Имена переменных без сокращений", "format and style"),
        ("дифф больше 400 строк я не смотрю, дроби", "what is not accepted"),
        ("меня бесит, когда ты переписываешь полфайла ради одной строчки", "how to answer"),
        ("нет, у нас принято именовать таблицы во множественном числе", "required"),
    ],
)
def test_what_the_agent_should_do_from_now_on(text: str, rule: str) -> None:
    assert _found(text) == ("feedback", rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Я дата-инженер, в основном Spark и Airflow", "who the user is"),
        ("Десять лет писал на C++, на Go перешёл весной", "who the user is"),
        ("В команде я отвечаю за платежи и антифрод", "who the user is"),
        ("с кубером раньше дела не имел", "who the user is"),
        ("Английский у меня слабый", "who the user is"),
        ("Никогда не писал под iOS, свифт вижу впервые", "who the user is"),
        ("Математику помню плохо", "who the user is"),
        ("Мы предпочитаем функциональный стиль", "preference"),
        ("Мне проще читать диффы, чем описания", "preference"),
        ("Привык всё делать из консоли", "preference"),
        ("Люблю, когда сначала пример, потом теория", "preference"),
    ],
)
def test_who_the_user_is(text: str, rule: str) -> None:
    assert _found(text) == ("user", rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Решили не переезжать на микросервисы, остаёмся с монолитом", "decision"),
        ("Поддержку Windows 7 дропаем осенью", "decision"),
        ("Релиз 2.0 назначен на 15 марта", "date"),
        ("Код-фриз с 1 по 10 июня", "date"),
        ("С ноября минимальный Python 3.11", "date"),
        ("Фронт пилит Маша, бэк на Игоре", "who does what"),
        ("Заказчик требует, чтобы всё работало без интернета", "law or contract"),
        ("В августе у нас утекла база клиентов", "incident"),
        ("Релизимся по четвергам", "routine"),
        ("Бюджет на облако 300 тысяч в месяц, выше нельзя", "constraint"),
        ("Цель на квартал: снизить отток вдвое", "goal"),
        ("Данные пациентов нельзя выносить за контур клиники", "constraint"),
    ],
)
def test_what_holds_in_the_project(text: str, rule: str) -> None:
    assert _found(text) == ("project", rule)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Логи прода в кибане: https://kibana.acme.ru, индекс app-prod-*", "link with a purpose"),
        ("Карты для тестов — https://dev.bank.ru/cards", "link with a purpose"),
        ("Переводы лежат в Crowdin, проект game-ui", "system and what it is for"),
        ("Задачи ведём в джире, проект PAY", "system and what it is for"),
        ("График дежурств в PagerDuty", "system and what it is for"),
        ("все ADR в репозитории architecture, папка decisions", "system and what it is for"),
        ("По вопросам доступов пишите на infra@acme.ru", "link with a purpose"),
    ],
)
def test_where_something_is(text: str, rule: str) -> None:
    assert _found(text) == ("reference", rule)


@pytest.mark.parametrize(
    "text",
    [
        # asked for once
        "Проверь, пожалуйста, что всегда вызывается close",
        "Удали все комментарии из файла и не добавляй новых",
        "добавь логирование сюда и вот сюда",
        "давай всегда возвращать null в этом методе",
        "используй здесь обычный цикл, не надо стримов",
        "поставь таймаут 30 секунд, не больше",
        "Если тесты упадут, откати последний коммит",
        "Если не сложно, добавь ещё график по неделям",
        "посмотри в джире PAY-123 и сделай так же",
        "открой https://github.com/acme/app/pull/512 и скажи, что думаешь",
        "я предпочёл бы второй вариант",
        "разницы никакой, бери любой",
        "не обращай внимания на ворнинги, они были и раньше",
        # for the moment
        "не трогай пока этот файл",
        "для этой задачи всегда бери старый парсер",
        "сейчас важнее скорость, не заморачивайся с тестами",
        # questions, with a mark and without
        "А если никогда не закрывать соединение?",
        "Напомни, где у нас лежит конфиг нгинкса",
        "Слушай, а дедлайн 15 мая или 15 июня",
        "Не понимаю, почему тест зависит от часового пояса",
        # hypothetical
        "Вот бы релизы всегда проходили так гладко",
        "Допустим, мы переезжаем на Kubernetes с 1 мая",
        # what others say, what can be read anyway
        "нашёл статью, где советуют никогда не использовать ORM",
        "на первом курсе нам говорили никогда не использовать goto",
        "Сергей сказал, что дедлайн сдвинули",
        "в README написано, что надо всегда ставить pre-commit",
        "судя по коммитам, Андрей всегда сквошит",
        "Цитата из договора: «Исполнитель обязан всегда уведомлять Заказчика за 30 дней»",
        # what just happened, complaints, small talk
        "Решил проблему с кешем, оказалось, дело в ключах",
        "Закоммитил, запушил, MR открыл, жду ревью",
        "прошлый релиз прошёл без единого инцидента, горжусь командой",
        "тесты всегда падают на винде, задолбало",
        "На ноль делить нельзя, а он делит",
        "спасибо, всё отлично, как всегда",
        "ты лучший, никогда не меняйся",
        "всегда пожалуйста",
        "я запушил фикс, дашборд https://grafana.local/d/1 теперь зелёный",
    ],
)
def test_what_does_not_last(text: str) -> None:
    assert _found(text) is None


def test_a_reason_leaves_the_summary() -> None:
    assert classify(
        "Пожалуйста, не вставляй эмодзи в README, потому что выглядит несерьёзно.", ""
    ) == Statement("feedback", "Не вставляй эмодзи в README", "Выглядит несерьёзно", None, "don't")


def test_or_else_stays_with_its_reason() -> None:
    found = classify("Ссылайся на конкретные строки файла, иначе я ничего не найду", "")
    assert found is not None
    assert (found.summary, found.why) == (
        "Ссылайся на конкретные строки файла",
        "Иначе я ничего не найду",
    )


def test_what_follows_from_it_is_how_to_apply() -> None:
    found = classify("Читаю с телефона, поэтому широкие таблицы разбивай", "")
    assert found is not None
    assert (found.type, found.summary, found.how_to_apply) == (
        "user",
        "Читаю с телефона",
        "Широкие таблицы разбивай",
    )


def test_that_which_is_wanted_is_no_reason() -> None:
    found = classify("Заказчик требует, чтобы всё работало без интернета", "")
    assert found is not None
    assert (found.summary, found.why) == (
        "Заказчик требует, чтобы всё работало без интернета",
        None,
    )


def test_the_next_sentence_gives_the_reason() -> None:
    found = classify("Не предлагай докер.", "У нас на серверах его нет и не будет.")
    assert found is not None
    assert (found.summary, found.why) == (
        "Не предлагай докер",
        "У нас на серверах его нет и не будет",
    )


@pytest.mark.parametrize("following", ["Прогони тесты.", "Мы это уже обсуждали?", ""])
def test_the_next_sentence_is_no_reason(following: str) -> None:
    found = classify("Не предлагай докер.", following)
    assert found is not None
    assert found.why is None


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Запомни: отступы только пробелами", "Отступы только пробелами"),
        ("впредь, пожалуйста, указывай номер задачи", "Указывай номер задачи"),
        ("имей в виду, что релизимся по четвергам", "Релизимся по четвергам"),
        ("миграции без отката я не принимаю, учти", "Миграции без отката я не принимаю"),
        ("я уже просил: заголовки без точки", "Заголовки без точки"),
    ],
)
def test_the_summary_is_tidied(text: str, summary: str) -> None:
    found = classify(text, "")
    assert found is not None
    assert found.summary == summary


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Всё новое пишем только на Kotlin", "Все новое пишем только на Kotlin"),
        ("договорились: лендинг сдаём до 12 апреля", "ДОГОВОРИЛИСЬ: ЛЕНДИНГ СДАЕМ ДО 12 АПРЕЛЯ"),
        ("Всегда ведём ченджлог — руками", "всегда ведем ченджлог - руками"),
    ],
)
def test_case_dashes_and_yo_make_no_difference(text: str, other: str) -> None:
    assert _found(text) is not None
    assert _found(text) == _found(other)


def test_not_until_is_a_rule_and_for_now_is_none() -> None:
    assert _found("Не мержи в main, пока тесты не пройдут") is not None
    assert _found("Пока не мержи в main") is None


def test_a_time_stamp_is_not_temporary() -> None:
    assert filters.temporary_word("Временные метки пишем в UTC") is None
    assert filters.temporary_word("Временные файлы лежат в tmp") == "Временные"


def test_a_quoted_order_is_not_the_users() -> None:
    assert _found("заголовок статьи «Всегда пишите тесты», автор душнила") is None


def test_what_is_longer_than_a_sentence_was_pasted() -> None:
    text = "Всегда пиши тесты на каждую функцию"
    assert _found(text) == ("feedback", "always / never")
    assert _found(text + " и ещё" * 150) is None


def test_the_language_is_told_by_script() -> None:
    found = rules.classify("Не вставляй эмодзи в README")
    assert found is not None
    assert found.summary == "Не вставляй эмодзи в README"


@given(st.text(), st.text())
def test_it_never_raises_and_never_invents(text: str, following: str) -> None:
    found = classify(text, following)
    if found is not None:
        assert found.summary.lower() in text.lower()


_WORDS = [
    "всегда",
    "никогда",
    "не",
    "пиши",
    "если",
    "когда",
    "мы",
    "решили",
    "до",
    "5",
    "мая",
    "в",
    "джире",
    "лежит",
    "https://a.ru",
    "я",
    "предпочитаю",
    "потому",
    "что",
    "иначе",
    "чтобы",
    "тесты",
    "коммиты",
    "только",
    "без",
    "любой",
    "спроси",
    "ответы",
    ",",
    ".",
    ":",
    "-",
    "«",
    "»",
    "пока",
    "запомни",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=40))
def test_rule_words_in_any_order_never_raise(words: list[str]) -> None:
    text = " ".join(words)
    found = classify(text, text)
    if found is not None:
        assert ru_text.fold(found.summary) in ru_text.fold(text)


@given(st.text())
def test_folding_keeps_every_place(text: str) -> None:
    assert len(ru_text.fold(text)) == len(text)
    assert len(ru_text.without_quotes(ru_text.fold(text))) == len(text)


@pytest.mark.parametrize("word", ["любой ", "не ", "если ", "«", "1.", "а", "лучше ", "и, "])
def test_a_hundred_kilobytes_are_read_at_once(word: str) -> None:
    text = (word * 700)[:700]
    times = len("x" * 100_000) // len(text)
    started = time.process_time()
    for _ in range(times):
        classify(text, text)
    assert time.process_time() - started < 10.0
