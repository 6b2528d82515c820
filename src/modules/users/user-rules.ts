import { detail } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
import { beyondOwnAccess, emailNeedsProof, notOneself, notWhileActing, ownersOnly } from "./users.errors.ts";
import { type Principal, type Role, roles } from "./users.types.ts";

/** 0 is the most powerful. */
const rankOf = (role: Role): number => roles.indexOf(role);

export const isAbove = (role: Role, other: Role): boolean => rankOf(role) < rankOf(other);

export const isAdministrator = ({ role }: { readonly role: Role }): boolean => !isAbove("TENANT_ADMIN", role);

/** Throws `forbidden` unless the actor's role reaches that of the user it concerns. */
export function ensureRoleReaches(actor: { readonly role: Role }, role: Role): void {
  if (isAbove(role, actor.role)) throw ownersOnly();
}

/** Fields that users may change of their own account, in every role. */
const ownFields: ReadonlySet<string> = new Set([
  "fullName",
  "notificationsEmailEnabled",
  "notificationsMessagingEnabled",
  "notificationPhone",
  "notificationEscalationLevel",
  "notificationSeverities",
  "notifyOnAlarmCreated",
  "notifyOnAlarmEscalated",
  "notifyOnAlarmCleared",
]);

/**
 * Protects the user who is acted as: nobody changes themselves, or the sign-in of anybody, through another user. @throws DomainError
 * `account.not_own`.
 */
export function ensureNotThroughAnother(
  { impersonator }: Principal,
  userId: string,
  changed: readonly string[] = [],
): void {
  if (impersonator === undefined) return;
  if (impersonator.userId === userId || changed.includes("email")) throw notWhileActing();
}

/** Throws `forbidden` if users change more of themselves than their profile. Their own address needs a confirmed link instead. */
export function ensureOwnChange(actor: Principal, changed: readonly string[]): void {
  if (isAdministrator(actor) && changed.includes("email")) throw emailNeedsProof();
  const beyond = changed.find((field) => !ownFields.has(field));
  if (beyond !== undefined) throw notOneself(detail("action.change_fields", { field: beyond }));
}

/** Devices and assets that a user sees, or is to see: ids are not yet known to exist. */
export interface Reach {
  readonly hasGlobalDeviceAccess: boolean;
  readonly hasGlobalAssetAccess: boolean;
  readonly deviceIds: readonly string[];
  readonly assetIds: readonly string[];
}

/**
 * Keeps users without access to all devices from granting more than they see, and from taking over a user who sees more (by an invitation's
 * password). @throws DomainError `user.beyond_own_access`.
 */
export function ensureWithinOwnReach(
  actor: { devices: Principal["devices"]; own: Reach },
  reach: Reach,
): void {
  const { devices, own } = actor;
  if (devices === "all") return;
  const mayGive = (deviceId: string) => devices.has(deviceId as DeviceId); // an unknown id is nobody's
  const assets = new Set(own.assetIds);
  const hasAllAssets = own.hasGlobalAssetAccess || own.hasGlobalDeviceAccess; // the latter where two act, and the other is limited
  const isWithin =
    !reach.hasGlobalDeviceAccess &&
    (!reach.hasGlobalAssetAccess || hasAllAssets) &&
    reach.deviceIds.every(mayGive) &&
    (hasAllAssets || reach.assetIds.every((assetId) => assets.has(assetId)));
  if (!isWithin) throw beyondOwnAccess();
}
