import { conflict, invalid, notFound } from "../../lib/domain-error.ts";

export const deviceNotFound = () => notFound("device.not_found", "There is no such device.");
export const invalidDeviceToken = () => invalid("device.token_invalid", "invalid device token");
export const parentNotGateway = () =>
  invalid("device.parent_invalid", "parentDeviceId: there is no such gateway");
export const devEuiTaken = () => conflict("device.dev_eui_taken", "Another device has this lorawanDevEui.");
export const profileUnknown = () =>
  invalid("device.profile_unknown", "profileId: there is no such device profile");
export const tokenTaken = () => conflict("device.token_taken", "token: another device has this access token");
