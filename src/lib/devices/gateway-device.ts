/** Type of the device that represents the gateway itself. Each gateway creates its own, so CSV exports and site files omit it. */
export const GATEWAY_DEVICE_TYPE = "lineside-gateway";
/** Default name of the profile of that device. */
export const GATEWAY_PROFILE_NAME = "This gateway";
