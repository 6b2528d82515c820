import { conflict, forbidden, invalid, notFound } from "../../lib/domain-error.ts";

export const apiKeyNotFound = () => notFound("api_key.not_found");
export const apiKeyNameTaken = () => conflict("api_key.name_taken");
export const apiKeyWhileActing = () => forbidden("account.not_own_keys");
export const apiKeyRoleTooHigh = () => forbidden("api_key.role_too_high");
export const apiKeyBeyondOwnAccess = () => forbidden("api_key.beyond_own_access");
export const apiKeyExpiryInvalid = () => invalid("api_key.expiry_invalid");
export const apiKeyDeviceUnknown = () => invalid("api_key.device_unknown");
export const apiKeysMax = (max: number) => conflict("api_key.too_many", { max });
