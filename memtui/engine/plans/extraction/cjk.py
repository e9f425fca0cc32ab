"""What the Chinese and Japanese rules of extract share: folding for a match, systems, reasons.

Invariant: a folded text has as many characters as the text it comes from, so that a span found in
the one cuts the other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memtui.engine.types import MemoryType

LONGEST = 400
"""Characters of a sentence that a person types; what is longer was pasted."""

_TRADITIONAL = (
    "對這請繼續愛歷說舊應麼們個裡裏後還從來時間為會沒給別讓寫過檔頭點當負責開發無經驗該須統總習慣"
    "偏歡學術語項團隊員務產業計劃約決議選棄維護轉換凍結發佈線關閉預選規範樣與並據庫數釋變簽啟動單"
    "測試錯誤記錄憶結論輕長簡體韓國東證險絕禁許準備難懂軟體職級階於內邊條幾兩號處類問題幫煩謝斷"
    "歸屬監較識壞淺熱機網雲際專門畫設圖標註優師導講聽聯繫連進報導確認參閱覽儲輸錢稅財審計權限"
    "訊資擬諮詢顯碼遠競獲視討譯詞闆撐齊鎖鏈縮顏額帳賬戶郵極潔濾滿滾漲營異療盡種穩節紅細紙紹絡"
    "緩繪聲臺藝藍衝裝補製觀訂誰調諾豐貨買費貼賣質趕跡載輪辦遊適遲鄰銀銷閒陣雖離順頁頻顧飛驚鬆"
    "齡擔擇擴攔敗暢書樓樹橫毀爭牆狀猶獎環畢盜礙稱積築純編緣縱罰聰脫腳臉舉葉蓋薦虛蟲衛襲訪誌誠"
    "諒貫賠賴贊趨躍車軌輔輩輯辭達違遞鏡閃隱靜頂領頗風飯飲駕驅髮鮮黃併龍陳劉張趙楊吳鄭馬羅許蕭"
    "蘇戰勞勝濟檻檔憑懶"
    "遷併週點鐘剛纔現臨暫實驗練訓釘組織構層級嚴實緊隨擅亂氣課隻夠獨雙爾複雜讀電腦鍵盤終檢查緒"
)
_SIMPLIFIED = (
    "对这请继续爱历说旧应么们个里里后还从来时间为会没给别让写过档头点当负责开发无经验该须统总习惯"
    "偏欢学术语项团队员务产业计划约决议选弃维护转换冻结发布线关闭预选规范样与并据库数释变签启动单"
    "测试错误记录忆结论轻长简体韩国东证险绝禁许准备难懂软体职级阶于内边条几两号处类问题帮烦谢断"
    "归属监较识坏浅热机网云际专门画设图标注优师导讲听联系连进报导确认参阅览储输钱税财审计权限"
    "讯资拟咨询显码远竞获视讨译词板撑齐锁链缩颜额帐账户邮极洁滤满滚涨营异疗尽种稳节红细纸绍络"
    "缓绘声台艺蓝冲装补制观订谁调诺丰货买费贴卖质赶迹载轮办游适迟邻银销闲阵虽离顺页频顾飞惊松"
    "龄担择扩拦败畅书楼树横毁争墙状犹奖环毕盗碍称积筑纯编缘纵罚聪脱脚脸举叶盖荐虚虫卫袭访志诚"
    "谅贯赔赖赞趋跃车轨辅辈辑辞达违递镜闪隐静顶领颇风饭饮驾驱发鲜黄并龙陈刘张赵杨吴郑马罗许萧"
    "苏战劳胜济槛档凭懒"
    "迁并周点钟刚才现临暂实验练训钉组织构层级严实紧随擅乱气课只够独双尔复杂读电脑键盘终检查绪"
)
_ASCII_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WIDE = "０１２３４５６７８９（）：？＠／　"
_NARROW = "0123456789():?@/ "
_ASCII_FOLD = str.maketrans(_ASCII_UPPER + _WIDE, _ASCII_UPPER.lower() + _NARROW)
_HAN_FOLD = {**_ASCII_FOLD, **str.maketrans(_TRADITIONAL + ",;!", _SIMPLIFIED + "，；！")}

_MENTION = re.compile(r"「[^「」]{1,16}」|『[^『』]{1,16}』|“[^“”]{1,16}”|\"[^\"]{1,16}\"")

SYSTEMS = (
    r"(?<![a-z0-9_./-])(?:jira|confluence|linear|notion|figma|mastergo|pixso|axure|"
    r"adobe xd|framer|overleaf|zeplin|sketch|grafana|kibana|datadog|sentry|splunk|"
    r"prometheus|wandb|mlflow|tensorboard|backlog|redmine|trello|asana|slack|teams|discord|lark|"
    r"clickup|bugzilla|gerrit|gitlab|github|bitbucket|gitea|jenkins|argo ?cd|harbor|nexus|"
    r"artifactory|sonar\w*|swagger|yapi|apifox|postman|stoplight|vault|1password|"
    r"bitwarden|servicenow|launchdarkly|unleash|optimizely|segment|braze|workday|"
    r"greenhouse|docusign|cloudsign|smarthr|freee|backstage|kubecost|spinnaker|"
    r"circleci|buildkite|teamcity|freshdesk|swaggerhub|consul|"
    r"apollo|nacos|miro|airtable|zendesk|intercom|salesforce|hubspot|kibela|esa|docbase|qiita team|"
    r"scrapbox|cosense|google ?drive|gdrive|dropbox|box|sharepoint|onedrive|google ?docs?|"
    r"spreadsheet|google ?sheets?|looker(?: studio)?|tableau|metabase|redash|superset|amplitude|"
    r"mixpanel|firebase|crashlytics|bugly|pagerduty|opsgenie|statuspage|cloudwatch|bigquery|"
    r"snowflake|elastic\w*|new ?relic|honeycomb|jaeger|skywalking|cls|sls|arms|tapd|coding|"
    r"teambition|ones|pingcode|worktile|wiki|zentao|s3|oss|cos|minio|nas|hugging ?face|"
    r"test ?rail|testflight|app store connect|play console|storybook|crowdin|lokalise|phrase|"
    r"perforce|p4|shotgrid|docusaurus|readthedocs|runbook|chatwork|kintone|garoon|teratail|"
    r"growi|crowi|youtrack|azure devops|rundeck|airflow|dvc)(?![a-z0-9_./-])"
)
"""Outside systems by name, already in small letters: no word of them is enough on its own."""

URL = re.compile(
    r"https?://[^\s，。、；）」』】〉》]+"
    r"|(?<![a-z0-9.@/-])[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){1,4}/[a-z0-9/#?=&.%_-]+"
    r"|(?<![a-z0-9.@/-])[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40}){0,3}"
    r"\.(?:local|internal|corp|lan|intra|example|com|cn|jp|org)(?![a-z0-9.])"
)
"""A link, in a folded text."""


class Rule(NamedTuple):
    """One way to say something durable."""

    type: MemoryType
    name: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    """What in the same sentence takes it back."""


def fold_han(text: str) -> str:
    """`text` for a Chinese match: small letters, narrow digits, simplified characters.

    A short quoted word is only mentioned: it is blanked, so that no rule reads it.
    """
    return _MENTION.sub(_blanked, text.translate(_HAN_FOLD))


def fold_kana(text: str) -> str:
    """`text` for a Japanese match: small letters, narrow digits, quoted words blanked."""
    return _MENTION.sub(_blanked, text.translate(_ASCII_FOLD))


def _blanked(mention: re.Match[str]) -> str:
    quoted = mention[0]
    return quoted[0] + "□" * (len(quoted) - 2) + quoted[-1]


def any_of(*patterns: str) -> re.Pattern[str]:
    """One pattern out of several."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def first_rule(folded: str, rules: tuple[Rule, ...]) -> Rule | None:
    """The first rule whose pattern is in `folded` and whose exception is not."""
    for rule in rules:
        if rule.pattern.search(folded) and not (rule.unless and rule.unless.search(folded)):
            return rule
    return None


def tidied(text: str) -> str:
    """`text` without blanks around it, without a final full stop, its first letter a capital."""
    bare = text.strip().strip("，、,;；")
    if bare.endswith(("。", "．", "!", "！")) or (bare.endswith(".") and not bare.endswith("..")):
        bare = bare[:-1].rstrip()
    return bare[:1].upper() + bare[1:] if bare[:1].isascii() and _is_word(bare) else bare


def _is_word(text: str) -> bool:
    """Whether the first word is no name of a file or of code, whose letters stay as they are."""
    first = re.match(r"[a-z]+(?=[\s\u3000-\u9fff])", text)
    return first is not None
