import { enAccount } from "./en-account.ts";
import { enAlarms } from "./en-alarms.ts";
import { enDevices } from "./en-devices.ts";
import { enGateways } from "./en-gateways.ts";
import { enImport } from "./en-import.ts";

export const en = {
  "common.close": "Close",
  "common.retry": "Try again",
  "common.loading": "Loading…",
  "common.copy": "Copy",
  "common.copied": "Copied",
  "common.cancel": "Cancel",
  "common.save": "Save",
  "common.delete": "Delete",
  "common.pause": "Pause",
  "common.resume": "Resume",

  "nav.label": "Main",
  "nav.skip": "Skip to content",
  "nav.overview": "Overview",
  "nav.devices": "Devices",
  "nav.integrations": "Integrations",
  "nav.pipelines": "Pipelines",
  "nav.scheduler": "Scheduler",
  "nav.generators": "Generators",
  "nav.dashboards": "Dashboards",
  "nav.settings": "Settings",
  "nav.trail": "Where you are",

  "manual.title": "Manual",

  "palette.open": "Find",
  "palette.label": "Find a device, a screen or an action",
  "palette.placeholder": "Device, screen or action",
  "palette.none": "Nothing found. Try fewer letters.",
  "palette.screen": "Screen",
  "palette.action": "Action",

  "theme.label": "Theme",
  "theme.light": "Light",
  "theme.dark": "Dark",
  "theme.system": "Auto",
  "language.label": "Language",
  "account.label": "Account and appearance",
  "account.stay": "Stay signed in on this computer",
  "account.docs": "API documentation",
  "account.signOut": "Sign out",
  "role.TENANT_OWNER": "Owner",
  "role.TENANT_ADMIN": "Administrator",
  "role.TENANT_RW": "Read and write",
  "role.TENANT_READ_ONLY": "Read only",

  "connection.live": "Live",
  "connection.connecting": "Connecting…",
  "connection.lost": "Connection lost.",
  "connection.lostDetail": "You see the last known values.",
  "connection.retryIn": "Next attempt in {seconds} s.",
  "connection.retrying": "Reconnecting…",
  "connection.retryNow": "Try now",

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
  "error.invalid": "Please correct this: {detail}",
  "error.invalidPlain": "Something in the form is not right. Check the fields and send it again.",
  "error.passwordWeak":
    "This password is too easy to guess. Take a short sentence that only you would write.",
  "error.conflict": "That is already taken: {detail}",
  "error.conflictPlain": "That is already taken. Choose another name.",
  "error.server":
    "The gateway reported an internal error ({status}). Try again; if it stays, look into its log.",

  "signIn.leaving": "Opening the sign-in page…",
  "signIn.arriving": "Signing you in…",
  "signIn.failed": "Sign-in did not work",
  "signIn.stale":
    "This sign-in link was already used or belongs to another tab. Start again; it takes a moment only.",
  "signIn.again": "Sign in",

  "setup.title": "Set up Lineside",
  "setup.intro": "You are the first person here. Create the owner's account; it may do everything.",
  "setup.fullName": "Your name",
  "setup.email": "E-mail",
  "setup.password": "Password",
  "setup.passwordHint": "At least 10 characters. A short sentence is easy to remember.",
  "setup.tenantName": "Site or company",
  "setup.tenantHint": "Shown to everybody who signs in, for example “Plant North”.",
  "setup.create": "Create account",
  "setup.continue": "Continue",
  "setup.expired": "This set-up link is no longer valid",
  "setup.expiredHint":
    "A set-up link works once and for 30 minutes. If an owner exists already, sign in. Otherwise make a new link on the gateway with this command (in a checkout, write “npm run lineside --” for “lineside”):",
  "setup.copyCommand": "Copy the command",
  "setup.toSignIn": "Go to sign-in",
  "setup.ready": "Everything is ready",
  "setup.readyHint": "What would you like to see first?",
  "setup.connect": "Connect a device",
  "setup.connectHint": "Makes a device and shows how to send its first value.",
  "setup.firstDevice": "My first device",
  "setup.demo": "Start the demo plant",
  "setup.demoHint": "A small simulated factory that fills every screen with life.",
  "setup.skip": "Look around first",
  "demo.how":
    "Run this command on the gateway, with your password in place of the dots (in a checkout, write “npm run lineside --” for “lineside”):",
  "demo.then": "Its devices appear here by themselves within a few seconds.",
  "onboarding.title": "Name your site",

  "overview.devices": "Devices",
  "overview.devicesDetail": "known to this site",
  "overview.activeDetail": "heard from lately",
  "overview.inactiveDetail": "silent for too long, or never heard",
  "overview.newest": "Newest data",
  "overview.newestNone": "nothing received yet",
  "overview.rate": "Messages per second, last minute",
  "overview.rateValues": "{messages} messages/s · {points} values/s",
  "overview.rateChart": "Messages per second over the last minute, at most {top}",
  "overview.recent": "Last heard from",
  "overview.recentNone": "No data yet. Open a device and follow its Connect tab to send the first value.",
  "overview.silent": "Silent devices",
  "overview.silentNone": "Every device reports. Nothing to do here.",
  "overview.allSilent": "All silent",
  "overview.allDevices": "All devices",
  "overview.connectHint":
    "Give it a name and get a ready-made example for mosquitto_pub, curl, Python, Node.js or Arduino, with the real address and token.",

  "state.active": "Active",
  "state.inactive": "Inactive",
  "age.now": "now",
  "age.seconds": "{n} s ago",
  "age.minutes": "{n} min ago",
  "age.hours": "{n} h ago",
  "age.days": "{n} d ago",
  "age.never": "never",
  "value.true": "true",
  "value.false": "false",

  "notFound.title": "Page not found",
  "notFound.what": "There is nothing at this address",
  "notFound.hint": "The device may have been deleted, or the link was cut off. Go on from here:",

  ...enAlarms,
  ...enAccount,
  ...enGateways,
  ...enDevices,
  ...enImport,
} as const;
