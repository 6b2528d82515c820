export const uiEn = {
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
  "connection.lostDetail": "You see the last known values.",
  "connection.retryIn": "Next attempt in {seconds} s.",
  "connection.retrying": "Reconnecting…",
  "connection.retryNow": "Retry now",

  "error.title": "Something went wrong",
  "error.reload": "Reload the page",
  "error.unexpected":
    "Something went wrong on this page. Reload it; if it happens again, report what you did.",
  "error.unreachable":
    "Lineside does not answer. Check that the gateway is switched on and that this computer is in its network, then try again.",
  "error.signedOut": "The e-mail or password is wrong, or your session has ended. Sign in again.",
  "error.forbidden":
    "Your role does not allow this. Ask an administrator or the owner to do it or to change your role.",
  "error.notFound":
    "This no longer exists. Somebody may have deleted it: go back to the list and look again.",
  "error.tooLarge": "That is too large for one request. Send it in smaller parts.",
  "error.tooMany": "Too many attempts. Wait {seconds} seconds and try again.",
  "error.storage":
    "The gateway cannot store anything at the moment; its disk may be full. Free some space, then try again.",
  "error.invalidPlain": "Something in the form is not right. Check the fields and send it again.",
  "error.conflictPlain": "That is already taken. Use another name.",
  "error.server":
    "The gateway reported an internal error ({status}). Try again; if it stays, look into its log.",

  "state.active": "Active",
  "state.inactive": "Inactive",

  "notFound.title": "Page not found",
  "notFound.what": "There is nothing at this address",
  "notFound.hint": "The device may have been deleted, or the link was cut off. Go on from here:",
  "code.keys": "Tab moves code in, Shift+Tab out. To leave the editor by keyboard: Escape, then Tab.",
  "expiry.0": "Never",
  "expiry.30": "In 30 days",
  "expiry.90": "In 90 days",
  "expiry.365": "In a year",
  "expiry.date": "On a date",
  "unit.seconds": "seconds",
} as const;
