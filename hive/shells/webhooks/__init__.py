"""Deliveries of GitHub's webhooks.

Law: what arrives wakes a look, and no fact of it is believed.
"""

from hive.shells.webhooks.listener import Deliveries, WebhookListener

__all__ = ["Deliveries", "WebhookListener"]
