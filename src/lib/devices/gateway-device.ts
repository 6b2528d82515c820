/** Type of the device with which a gateway reports on itself. Each gateway creates its own, so CSV exports and site files leave it out. */
export const GATEWAY_DEVICE_TYPE = "lineside-gateway";
/** Name of the profile of that device, unless somebody gives it another one. */
export const GATEWAY_PROFILE_NAME = "This gateway";
