import { forbidden, invalid } from "../../lib/core/domain-error.ts";

export const apiKeyWhileActing = () => forbidden("account.not_own_keys");
export const apiKeyRoleTooHigh = () => forbidden("api_key.role_too_high");
export const apiKeyBeyondOwnAccess = () => forbidden("api_key.beyond_own_access");
export const apiKeyExpiryInvalid = () => invalid("api_key.expiry_invalid");
export const apiKeyDeviceUnknown = () => invalid("api_key.device_unknown");
