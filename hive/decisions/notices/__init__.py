"""What waits for a person, and which messages tell people of it: both pure."""

from hive.decisions.notice_policy import Channel, NoticePolicy, QuietHours
from hive.decisions.notices.due import due
from hive.decisions.notices.message import Message
from hive.decisions.notices.needs import changes, outstanding

__all__ = ["Channel", "Message", "NoticePolicy", "QuietHours", "changes", "due", "outstanding"]
