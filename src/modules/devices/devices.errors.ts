import {
  conflict,
  detail,
  forbidden,
  invalid,
  limited,
  notFound,
  tooLarge,
  unauthenticated,
} from "../../lib/core/domain-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";

const DEVICE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Names the device only if the id is well-formed: responses never echo arbitrary input. */
export const deviceNotFound = (deviceId: string) =>
  notFound("device.not_found", {
    deviceId: DEVICE_ID.test(deviceId) ? deviceId : detail("device.this_id"),
  });
export const invalidDeviceToken = () => unauthenticated("device.token_invalid");
/** Returns the error for an invalid token as the service contract defines it, with status 400. */
export const contractInvalidToken = () => invalid("device.token_invalid");
export const parentNotGateway = () => invalid("device.parent_invalid");
export const rolesDiffer = () => invalid("device.roles_differ");
export const devEuiTaken = () => conflict("device.dev_eui_taken");
export const nameTaken = () => conflict("device.name_taken");
export const dashboardUnknown = () => invalid("device.dashboard_unknown");
export const profileUnknown = () => invalid("device.profile_unknown");
export const tokenTaken = () => conflict("device.token_taken");
/** Error for a tenant that tried too often to set a token used by another tenant's device. */
export const tokenAttempts = (limit: number, waitMs: number) =>
  limited("device.token_attempts", Math.max(1, Math.ceil(waitMs / 1000)), { limit });
export const identityTaken = () => conflict("credentials.identity_taken");
export const certificateTaken = () => conflict("credentials.certificate_taken");
/** Returns the error for a device that exceeds the rate of its profile or the gateway's configuration. */
export const deviceMessagesLimit = (limit: number, waitMs: number) =>
  limited("device.messages_limit", Math.max(1, Math.ceil(waitMs / 1000)), { limit });
export const deviceBytesLimit = (limit: number, waitMs: number) =>
  limited("device.bytes_limit", Math.max(1, Math.ceil(waitMs / 1000)), { limit });
export const tagsUncountable = (max: number) => tooLarge("device.tags_uncountable", { max });
export const gatewayNested = () => invalid("device.gateway_nested");
export const childNameTaken = () => conflict("device.child_name_taken");

/** Returns the error for a gateway that may not report for a child of this name. */
export const childElsewhere = (name: string) => forbidden("gateway.child_elsewhere", { name: excerpt(name) });
export const childUnknown = (name: string) => forbidden("gateway.child_not_created", { name: excerpt(name) });
export const childrenLimit = (limit: number) => forbidden("gateway.children_limit", { limit });
export const childNameInvalid = (charactersMax: number) =>
  invalid("gateway.child_name_invalid", { charactersMax });
export const childTypeInvalid = (charactersMax: number) =>
  invalid("gateway.child_type_invalid", { charactersMax });
