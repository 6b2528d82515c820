import { t } from "./i18n.ts";

/** Which field of a form a message is about. */
export interface Problem {
  readonly field:
    | "email"
    | "name"
    | "currentPassword"
    | "newPassword"
    | "password"
    | "code"
    | "logo"
    | "childName"
    | "schedule"
    | "deviceType"
    | undefined;
  readonly text: string;
}

type Known = readonly [RegExp, Problem["field"], (found: RegExpExecArray) => string];

/** Refusals that we can put into the reader's language, and say what to do about. */
const KNOWN: readonly Known[] = [
  [/^scripts cannot be run at the moment/, undefined, () => t("script.unavailable")],
  [/^too many scripts are waiting/, undefined, () => t("script.busy")],
  [/^No SMTP server is configured/, undefined, () => t("problem.noMailServer")],
  [/^What this mail was about has expired/, undefined, () => t("problem.mailSecretGone")],
  [/^This mail was sent already/, undefined, () => t("problem.mailSent")],
  [/^name: expected 1 to 40/, "name", () => t("problem.brandingName")],
  [/^childName: the gateway has another/, "childName", () => t("problem.childName")],
  [/^parentDeviceId: there is no such gateway/, undefined, () => t("problem.parent")],
  [/^logo: /, "logo", () => t("problem.brandingLogo")],
  [/^The plan of this tenant does not include whitelabeling/, undefined, () => t("problem.noWhitelabel")],
  [
    /^The plan of this tenant allows (\d+) messages/,
    undefined,
    ([, max]) => t("problem.messages", { max: max ?? "" }),
  ],
  [/^password is too easy to guess$/, "newPassword", () => t("error.passwordWeak")],
  [/^password must have 10 /, "newPassword", () => t("problem.passwordShort")],
  [/^password must not be the one/, "newPassword", () => t("problem.passwordSame")],
  [/^currentPassword is wrong$/, "currentPassword", () => t("problem.currentPassword")],
  [/^password is wrong$/, "password", () => t("problem.passwordWrong")],
  [/^code is wrong/, "code", () => t("problem.codeWrong")],
  [/^otp is wrong or expired/, undefined, () => t("problem.otpWrong")],
  [/^The password was changed meanwhile/, undefined, () => t("problem.passwordChanged")],
  [/^You act as somebody else/, undefined, () => t("acting.notOwn")],
  [/^A user with this e-mail address exists/, "email", () => t("problem.emailTaken")],
  [/^An API key of this name exists/, "name", () => t("problem.keyName")],
  [/^A tenant may have (\d+) API keys/, undefined, ([, max]) => t("problem.keysMax", { max: max ?? "" })],
  [/^expiresAt must be a time in the future/, undefined, () => t("problem.keyExpiry")],
  [/^Too many invitations were mailed/, undefined, () => t("problem.invitationsLimit")],
  [/^This is the last active owner/, undefined, () => t("problem.lastOwner")],
  [/^schedule\.expression: (.*)/, "schedule", ([, detail]) => t("problem.cron", { detail: detail ?? "" })],
  [/^schedule\.timezone: /, "schedule", () => t("job.zoneUnknown")],
  [/^schedule\.everyMs: /, "schedule", () => t("problem.everyMs")],
  [/^schedule\.at: /, "schedule", () => t("problem.at")],
  [/^schedule: it has no time/, "schedule", () => t("problem.neverRuns")],
  [/^The schedule of this job has no time left/, undefined, () => t("problem.noTimeLeft")],
  [/^A run of this job is under way/, undefined, () => t("problem.jobRunning")],
  [/^The scheduler is switched off/, undefined, () => t("problem.schedulerOff")],
  [/^A tenant has (\d+) jobs at most/, undefined, ([, max]) => t("problem.jobsMax", { max: max ?? "" })],
  [/^The job acts on devices that you have no access/, undefined, () => t("problem.jobReach")],
  [/may schedule for all devices of a type/, "deviceType", () => t("problem.jobType")],
  [/^A device profile of this name exists/, "name", () => t("problem.profileName")],
  [/^Devices use this profile/, undefined, () => t("problem.profileInUse")],
  [/^The default device profile cannot/, undefined, () => t("problem.profileDefault")],
  [/may (create|change|delete) device profiles/, undefined, () => t("profiles.limited")],
  [/^Only an owner may/, undefined, () => t("problem.ownersOnly")],
  [/^You may only manage users whose devices/, undefined, () => t("problem.beyondReach")],
  [/^This user is disabled; ask an administrator/, undefined, () => t("problem.youDisabled")],
  [/^This user is disabled/, undefined, () => t("problem.userDisabled")],
  [/^deviceIds: there is no such device$/, undefined, () => t("problem.deviceGone")],
  [
    /^The plan of this tenant allows (\d+) devices/,
    undefined,
    ([, max]) => t("problem.planDevices", { max: max ?? "" }),
  ],
  [
    /^The plan of this tenant allows (\d+) users/,
    undefined,
    ([, max]) => t("problem.planUsers", { max: max ?? "" }),
  ],
];

export function knownProblem(message: string): Problem | undefined {
  for (const [pattern, field, text] of KNOWN) {
    const found = pattern.exec(message);
    if (found) return { field, text: text(found) };
  }
  return undefined;
}
