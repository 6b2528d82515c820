/** Why a credential was refused, and what to do about it. */
export const refusalTexts = {
  "refusal.certificate_expired": "The certificate has expired.",
  "refusal.certificate_wrong": "The certificate belongs to no device.",
  "refusal.claim_closed": "No device profile lets devices claim credentials.",
  "refusal.claim_device_in_use": "The device is in use or was claimed before.",
  "refusal.claim_device_unexpected": "No device of this name is expected.",
  "refusal.claim_invalid": "The claim cannot be read.",
  "refusal.claim_key_wrong": "The provisioning key or its secret is wrong.",
  "refusal.connection_limit": "Too many connections are open.",
  "refusal.credential_missing": "No credential was sent.",
  "refusal.key_expired": "The API key has expired.",
  "refusal.key_stopped": "The user who created the API key is disabled or deleted.",
  "refusal.key_wrong": "There is no such API key.",
  "refusal.metrics_token_wrong": "The token for the metrics is wrong.",
  "refusal.password_expired": "The temporary password has expired.",
  "refusal.password_wrong": "The password is wrong.",
  "refusal.second_factor_wrong": "The code of the second factor is wrong.",
  "refusal.secret_wrong": "The webhook secret is wrong.",
  "refusal.session_ended": "The session has ended.",
  "refusal.session_expired": "The access token of the session has expired.",
  "refusal.session_token_wrong": "The access token is not valid.",
  "refusal.token_wrong": "The token or the user name belongs to no device.",
  "refusal.too_many_tries": "Too many tries failed before.",
  "refusal.user_disabled": "The user is disabled.",
  "refusal.user_unknown": "There is no user with this e-mail address.",
  "refusal_hint.certificate_expired":
    "Renew the certificate on the device and set the new one on the device's page. A wrong clock of the gateway can be the cause, too.",
  "refusal_hint.certificate_wrong":
    "Compare the fingerprint with the certificate on the device's page. The device may have been deleted or its certificate may have been replaced.",
  "refusal_hint.claim_closed": "Enable provisioning in the device profile.",
  "refusal_hint.claim_device_in_use": "Allow the device to claim again on its page.",
  "refusal_hint.claim_device_unexpected":
    "Create the device with exactly this name first, or allow new devices in the device profile.",
  "refusal_hint.claim_invalid": "Compare the fields of the claim with the documentation.",
  "refusal_hint.claim_key_wrong":
    "Compare both with those in the device profile. Provisioning may be disabled in the profile.",
  "refusal_hint.connection_limit":
    "Look for clients that connect again without closing their connections, or raise the limit.",
  "refusal_hint.credential_missing":
    "Set the access token as the user name, or the user name and the password.",
  "refusal_hint.key_expired": "Create a new API key.",
  "refusal_hint.key_stopped": "Create an API key as another user, or enable the user.",
  "refusal_hint.key_wrong":
    "The key was revoked or is incomplete. Compare its first characters with the list of API keys.",
  "refusal_hint.metrics_token_wrong":
    "Compare the token of the scraper with metrics_token in the configuration.",
  "refusal_hint.password_expired": "Send the user a new invitation or set a new temporary password.",
  "refusal_hint.password_wrong":
    "Compare the password with the one of the device or user, and set a new one if it is lost.",
  "refusal_hint.second_factor_wrong":
    "Check the clock of the user's phone. An administrator can remove the second factor.",
  "refusal_hint.secret_wrong": "Create a new secret in the integration and set it at the sender.",
  "refusal_hint.session_ended": "The user has to sign in again.",
  "refusal_hint.session_expired": "The user has to sign in again. A program needs an API key instead.",
  "refusal_hint.session_token_wrong": "The client has to sign in again. A program needs an API key instead.",
  "refusal_hint.token_wrong":
    "Compare the first characters and the length with the access token on the device's page. The device may have been deleted or its token may have been replaced.",
  "refusal_hint.too_many_tries":
    "Correct the credential and wait a minute. Other entries of this address show what was wrong.",
  "refusal_hint.user_disabled": "Enable the user on the page of users.",
  "refusal_hint.user_unknown": "Check the spelling of the address, or invite the user.",
} as const;
