/** Why a credential was refused, and what to do about it. */
export const refusalTexts = {
  "refusal.certificate_expired": "The certificate has expired.",
  "refusal.certificate_unconfirmed": "The certificate has not been confirmed yet.",
  "refusal.certificate_wrong": "The certificate belongs to no device.",
  "refusal.claim_closed": "No device profile lets devices claim credentials.",
  "refusal.claim_device_in_use": "The device is in use or was claimed before.",
  "refusal.claim_device_unexpected": "No device of this name is expected.",
  "refusal.claim_invalid": "The claim cannot be read.",
  "refusal.claim_key_wrong": "The provisioning key or its secret is wrong.",
  "refusal.client_disabled": "The MQTT client is disabled.",
  "refusal.connection_limit": "Too many connections are open.",
  "refusal.credential_missing": "No credential was sent.",
  "refusal.download_link_invalid": "The link to a backup is unknown, used or expired.",
  "refusal.external_refused": "The identity provider did not confirm the sign-in.",
  "refusal.external_unverified": "The identity provider gave no verified e-mail address.",
  "refusal.key_expired": "The API key has expired.",
  "refusal.key_stopped": "The user who created the API key is disabled or deleted.",
  "refusal.key_wrong": "There is no such API key.",
  "refusal.metrics_token_wrong": "The token for the metrics is wrong.",
  "refusal.password_expired": "The temporary password has expired.",
  "refusal.password_shared": "Another site has the same name with the same password.",
  "refusal.password_wrong": "The password is wrong.",
  "refusal.email_link_invalid": "The link to confirm a new e-mail address is unknown, used or expired.",
  "refusal.protocol_level_unknown": "The MQTT protocol level is not supported.",
  "refusal.reset_link_invalid": "The link for a new password is unknown, used or expired.",
  "refusal.second_factor_wrong": "The code of the second factor is wrong.",
  "refusal.secret_wrong": "The webhook secret is wrong.",
  "refusal.session_ended": "The session has ended.",
  "refusal.session_expired": "The access token of the session has expired.",
  "refusal.session_token_wrong": "The access token is not valid.",
  "refusal.setup_link_invalid": "The set-up link is unknown, used or expired.",
  "refusal.sign_in_expired": "This browser did not begin the sign-in, or began it too long ago.",
  "refusal.subscription_limit": "A subscription was refused: too many subscriptions, or too many levels.",
  "refusal.token_wrong": "The token or the user name belongs to no device.",
  "refusal.too_many_tries": "There were too many failed attempts.",
  "refusal.user_disabled": "The user is disabled.",
  "refusal.user_unknown": "There is no user with this e-mail address.",
  "refusal_hint.certificate_expired":
    "Renew the certificate on the device and set the new one on the device's page.",
  "refusal_hint.certificate_unconfirmed":
    "Connect once with the id of the device or MQTT client as the user name or client id.",
  "refusal_hint.certificate_wrong": "Compare the fingerprint with the certificate on the device's page.",
  "refusal_hint.claim_device_unexpected":
    "Create the device with exactly this name first, or allow new devices in the device profile.",
  "refusal_hint.claim_key_wrong": "Compare both with those in the device profile.",
  "refusal_hint.external_refused": "The log has the reason that the identity provider gave.",
  "refusal_hint.external_unverified":
    "Verify the address at the identity provider, or set oidc_trust_email if it never says whether addresses are verified.",
  "refusal_hint.key_wrong":
    "The key was revoked or is incomplete. Compare its first characters with the list of API keys.",
  "refusal_hint.password_shared":
    "Set a generated password: the gateway cannot tell whose device or MQTT client this is.",
  "refusal_hint.password_wrong":
    "Compare the password with the one of the device or user, and set a new one if it is lost.",
  "refusal_hint.protocol_level_unknown": "Set the client to MQTT 3.1.1 or 5.",
  "refusal_hint.session_expired": "The user has to sign in again. A program needs an API key instead.",
  "refusal_hint.setup_link_invalid":
    "The command lineside setup-link prints a new link on a gateway without users.",
  "refusal_hint.token_wrong":
    "Compare the first characters and the length with the access token on the device's page.",
  "refusal_hint.too_many_tries": "Correct the credential and wait a minute.",
  "refusal_hint.client_disabled": "Enable the client on the page of MQTT clients.",
  "refusal_hint.connection_limit":
    "Close unused connections, or raise the limit: mqtt_connections_max, mqtt_connections_per_address_max, or the plan.",
  "refusal_hint.credential_missing":
    "Set the access token of the device as the user name, or the user name and password of the MQTT client.",
  "refusal_hint.secret_wrong":
    "Compare the secret of the sender with the one of the integration, or create a new one.",
  "refusal_hint.user_unknown": "Check the address for typing errors, or invite the user.",
} as const;
