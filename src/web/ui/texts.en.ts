export const uiEn = {
  "level.warning": "beyond the warning limit",
  "level.critical": "beyond the critical limit",
  "alarmLink.on": "Create alarm rule for {name}",
  "common.close": "Close",
  "common.retry": "Retry",
  "common.loading": "Loading…",
  "common.copy": "Copy",
  "common.copied": "Copied",
  "common.cancel": "Cancel",
  "common.save": "Save",
  "common.delete": "Delete",
  "common.pause": "Pause",
  "common.resume": "Resume",

  "connection.live": "Live",
  "connection.connecting": "Connecting…",
  "connection.lost": "Connection lost.",
  "connection.lostDetail": "The values are the last ones received.",
  "connection.retryIn": "Next attempt in {seconds} s.",
  "connection.retrying": "Reconnecting…",
  "connection.retryNow": "Retry now",

  "error.title": "Something went wrong",
  "error.reload": "Reload the page",
  "error.unexpected":
    "Something went wrong on this page. Reload it. If it happens again, report what you did.",
  "error.unreachable":
    "Lineside does not answer. Check that the gateway is switched on and that this computer is in its network, then try again.",
  "error.signedOut": "The e-mail or password is wrong, or your session has ended. Sign in again.",
  "error.forbidden":
    "Your role does not allow this. Ask an administrator or the owner to do it or to change your role.",
  "error.notFound": "This no longer exists. Another user may have deleted it. Go back to the list.",
  "error.tooLarge": "This is too large for one request. Send it in smaller parts.",
  "error.tooMany": "Too many attempts. Wait {seconds} seconds and try again.",
  "error.storage":
    "The gateway cannot store data now. Its disk may be full. Free some space, then try again.",
  "error.invalidPlain": "The form has a mistake. Check the fields and save again.",
  "error.conflictPlain": "This name is already taken. Use another one.",
  "error.server":
    "The gateway reported an internal error ({status}). Try again. If it happens again, look into the gateway's log.",

  "state.active": "Active",
  "state.inactive": "Inactive",
  "state.ofChild": "{state}: {name}",

  "notFound.title": "Page not found",
  "notFound.what": "This page does not exist",
  "notFound.hint": "The device may have been deleted, or the link is incomplete. Continue here:",
  "code.keys":
    "Tab indents, Shift+Tab unindents. To leave the editor with the keyboard, press Escape, then Tab.",
  "expiry.0": "Never",
  "expiry.30": "In 30 days",
  "expiry.90": "In 90 days",
  "expiry.365": "In a year",
  "expiry.date": "On a date",
  "dialog.discard": "Discard your changes?",
  "dialog.discardYes": "Discard changes",
  "dialog.keepEditing": "Keep editing",
  "silence.automatic": "Automatic: three times the usual interval",
  "silence.fixed": "A fixed time",
  "silence.time": "Time without data",
  "unit.seconds": "seconds",
} as const;
