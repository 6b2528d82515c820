/** Type of the device with which a gateway reports on itself. Each gateway creates its own, so CSV exports and site files leave it out. */
export const GATEWAY_DEVICE_TYPE = "lineside-gateway";
