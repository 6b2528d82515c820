export const uplinkErrors = {
  "uplink.access_refused":
    "The target refuses the credentials: {reason}. Check user, password, token or certificate.",
  "uplink.address_password":
    "{field} must not contain a user name or a password. Enter them in their own fields.",
  "uplink.address_port": "{field} has a port above {portMax}.",
  "uplink.batch_refused": "The target refuses these values: {reason}",
  "uplink.unreachable": "The target cannot be reached: {reason}",
  "uplink.target_failed": "The target failed: {reason}",
  "uplink.certificate_unreadable": "The certificate or key in {field} cannot be read: {reason}",
  "uplink.setting_invalid": "The setting {field} is not valid: {reason}",
  "uplink.header_secret":
    "Enter the value of the header {name} as the token, where it is kept secret, and the name as the header of the token",
  "uplink.action_uplinks": "manage uplinks",
  "uplink.command_failed": "The device did not answer: {reason}",
  "uplink.device_not_selected": "The uplink does not send this device.",
  "uplink.limit": "There are {limit} uplinks already, which is the most that a tenant can have.",
  "uplink.not_found": "The uplink does not exist.",
  "uplink.not_refused": "The target refuses nothing at present.",
  "uplink.secret_moved":
    "{name} was entered for another server or for an encrypted connection. Enter it again.",
  "uplink.secret_unknown": "{name} is not known. Enter it again.",
  "uplink.step_unfit": "steps: webhook_forward is possible only in a pipeline",
  "uplink.stopped": "The uplinks have stopped.",
  "uplink.tags_invalid": "There are {max} tags at most, with names of 64 and values of 256 characters.",
  "uplink.target_invalid": "{field}: {rule}",
  "uplink.type_unknown": "There is no target of the type {type}. Types are: {known}",
  "thread.failed": "The other thread failed: {reason}",
  "uplink.place_missing": "The target does not have what the settings name: {reason}",
  "uplink.settings_refused": "The target does not accept the settings: {reason}",
  "uplink.setting_missing": "The setting {field} is missing",
  "uplink.folder_relative": "The path {path} must be absolute",
} as const;
