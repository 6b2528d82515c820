export const devicePageEn = {
  "tab.commands": "Commands",

  "tab.overview": "Overview",
  "tab.data": "Data",
  "tab.attributes": "Attributes",
  "tab.connect": "Connect",
  "tab.messages": "Messages",
  "tab.settings": "Settings",

  "messages.filter": "Kind of message",
  "messages.all": "All",
  "messages.telemetry": "Telemetry",
  "messages.attributes": "Attributes",
  "messages.rejected": "Rejected",
  "messages.clear": "Clear",
  "held.title": "Held messages",
  "held.count.one": "{count} message waits for the clock of the gateway.",
  "held.count.other": "{count} messages wait for the clock of the gateway.",
  "held.hint":
    "Their time stamps are more than a day ahead of it. They are stored by themselves from {firstDueAt} on. Check the clocks of the device and of the gateway.",
  "held.store": "Store now",
  "held.delete": "Delete",
  "held.deleteWarning": "The messages are lost. The device does not send them again.",
  "messages.none": "Nothing here yet",
  "messages.noneHint": "Messages appear when they arrive. Leave this page open while the device sends.",
  "messages.noneRejected":
    "No message of this device was rejected. If a value is missing, check that the device is connected.",

  "settings.saved": "Saved.",
  "settings.tagsHint": "Separated by commas, for example hall-2, critical.",
  "settings.asset": "Asset",
  "settings.assetHint":
    "Machine, hall or line that the device belongs to. Users can be granted all devices of an asset.",
  "settings.inactivity": "Inactive after (minutes)",
  "settings.inactivityHint":
    "Time without a message. If empty, the setting of the profile applies. {current}",
  "inactivity.DEVICE": "In effect: {time}, set for this device.",
  "inactivity.PROFILE": "In effect: {time}, from the profile.",
  "inactivity.OBSERVED":
    "In effect: {time}. The device usually reports every {interval}, and the time is three times that, at least 1 minute.",
  "inactivity.DEFAULT": "In effect: {time}, until the usual interval of the device is known.",
  "settings.profile": "Profile",
  "settings.delete": "Delete device",
  "settings.deleteHint": "Deletes the device with its data, attributes and token.",
  "settings.deleteWarning":
    "This cannot be undone. All data of this device is deleted, and it can no longer connect.",
  "settings.typeName": "Type “{name}” to confirm",
  "settings.deleted": "{name} is deleted.",
  "tab.children": "Child devices",
  "tab.history": "History",
} as const;
