"""Notices by Apprise: ntfy, Slack, Discord, mail and a hundred other services by URL."""

from hive.shells.apprise.notices import AppriseNotices, url_fault

__all__ = ["AppriseNotices", "url_fault"]
