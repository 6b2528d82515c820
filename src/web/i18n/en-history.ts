export const enHistory = {
  "tab.history": "History",
  "history.all": "All",
  "history.hint":
    "Every new value of an attribute, who set it and when. What the device only repeats is not listed.",
  "history.none": "Nothing was changed yet",
  "history.noneHint": "Changes appear here as soon as somebody sets an attribute or the device reports one.",
  "history.more": "Show more",
  "history.of": "History of {key}",
  "history.deleted": "deleted",
  "history.by.USER": "a user",
  "history.by.DEVICE": "the device",
  "history.by.SYSTEM": "Lineside",
  "attributes.history": "History of {key}",
  "desired.IN_SYNC": "taken up",
  "desired.DIFFERENT": "device reports {value}",
  "desired.NOT_REPORTED": "not reported",
} as const;
