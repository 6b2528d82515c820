export const uplinkErrors = {
  "uplink.access_refused":
    "The target refuses the credentials: {reason}. Check user, password, token or certificate.",
  "uplink.batch_refused": "The target refuses these values: {reason}",
  "uplink.unreachable": "The target cannot be reached: {reason}",
  "uplink.target_failed": "The target failed: {reason}",
  "uplink.certificate_unreadable": "The certificate or key in {field} cannot be read: {reason}",
  "uplink.setting_invalid": "The setting {field} is not valid: {reason}",
  "uplink.header_secret":
    "Enter the value of the header {name} as the token, where it is kept secret, and the name as the header of the token",
  "uplink.settings_refused": "The target does not accept the settings: {reason}",
  "uplink.setting_missing": "The setting {field} is missing",
  "uplink.folder_relative": "The path {path} must be absolute",
} as const;
