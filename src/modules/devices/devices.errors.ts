import { conflict, DomainError, forbidden, invalid, notFound } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";

export const deviceNotFound = () => notFound("device.not_found", "There is no such device.");
export const invalidDeviceToken = () => invalid("device.token_invalid", "invalid device token");
export const parentNotGateway = () =>
  invalid("device.parent_invalid", "parentDeviceId: there is no such gateway");
export const rolesDiffer = () =>
  invalid("device.roles_differ", "type: is an older name of role and must not contradict it");
export const devEuiTaken = () => conflict("device.dev_eui_taken", "Another device has this lorawanDevEui.");
export const profileUnknown = () =>
  invalid("device.profile_unknown", "profileId: there is no such device profile");
export const tokenTaken = () => conflict("device.token_taken", "token: another device has this access token");
export const identityTaken = () =>
  conflict("credentials.identity_taken", "Another device signs in with this user name and client id.");
export const certificateTaken = () =>
  conflict("credentials.certificate_taken", "Another device signs in with this certificate.");
/** A device sends more than its profile, or the gateway's configuration, allows. */
export const deviceMessagesLimit = (limit: number, waitMs: number) =>
  new DomainError("limited", "device.messages_limit", `A device may send ${limit} messages a second here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
export const deviceBytesLimit = (limit: number, waitMs: number) =>
  new DomainError("limited", "device.bytes_limit", `A device may send ${limit} bytes a second here.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
  });
export const gatewayNested = () =>
  invalid("device.gateway_nested", "parentDeviceId: a gateway is no child of another gateway");
export const childNameTaken = () =>
  conflict("device.child_name_taken", "childName: the gateway has another child that it calls so");

/** Why a gateway may not speak for a child of this name. */
export const childElsewhere = (name: string) =>
  forbidden(
    "gateway.child_elsewhere",
    `there is a device "${excerpt(name)}" that is no child of this gateway; attach it first`,
  );
export const childUnknown = (name: string) =>
  forbidden(
    "gateway.child_unknown",
    `the gateway has no child "${excerpt(name)}", and its profile does not let it make any`,
  );
export const childrenLimit = (limit: number) =>
  forbidden("gateway.children_limit", `the gateway has ${limit} children already and makes no more`);
export const childNameInvalid = (charactersMax: number) =>
  invalid(
    "gateway.child_name_invalid",
    `names of child devices are well-formed text of 1 to ${charactersMax} characters without control characters`,
  );
export const childTypeInvalid = (charactersMax: number) =>
  invalid(
    "gateway.child_type_invalid",
    `the type of a child device is a text of 1 to ${charactersMax} characters`,
  );
