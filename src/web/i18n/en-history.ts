export const enHistory = {
  "tab.history": "History",
  "changes.all": "All",
  "changes.hint":
    "Every new value of an attribute, who set it and when. What the device only repeats is not listed.",
  "changes.none": "Nothing was changed yet",
  "changes.noneHint": "Changes appear here as soon as somebody sets an attribute or the device reports one.",
  "changes.more": "Show more",
  "changes.of": "History of {key}",
  "changes.deleted": "deleted",
  "changes.by.USER": "a user",
  "changes.by.DEVICE": "the device",
  "changes.by.SYSTEM": "Lineside",
  "attributes.history": "History of {key}",
  "desired.IN_SYNC": "taken up",
  "desired.DIFFERENT": "device reports {value}",
  "desired.NOT_REPORTED": "not reported",
} as const;
