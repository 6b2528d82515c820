import { conflict, forbidden, invalid, notFound } from "../../lib/domain-error.ts";

export const apiKeyNotFound = () => notFound("api_key.not_found", "There is no such API key.");
export const apiKeyNameTaken = () => conflict("api_key.name_taken", "An API key of this name exists.");
export const apiKeyWhileActing = () =>
  forbidden("account.not_own", "You act as somebody else: make API keys as yourself.");
export const apiKeyRoleTooHigh = () =>
  forbidden("api_key.role_too_high", "A key's role may not be above your own.");
export const apiKeyBeyondOwnAccess = () =>
  forbidden(
    "api_key.beyond_own_access",
    "You may only manage API keys whose devices you may all see yourself.",
  );
export const apiKeyExpiryInvalid = () =>
  invalid("api_key.expiry_invalid", "expiresAt must be a time in the future (ISO 8601)");
export const apiKeyDeviceUnknown = () =>
  invalid("api_key.device_unknown", "deviceIds: there is no such device");
export const apiKeysMax = (max: number) =>
  conflict("api_key.too_many", `A tenant may have ${max} API keys; delete some that are not used.`);
