/**
 * Returns the address of one alarm in the console, or of the list of alarms.
 * @param alarmsUrl address of the list in the console; undefined if the gateway does not know its address
 */
export const alarmLink = (alarmsUrl: string | undefined, alarmId?: string): string | undefined =>
  alarmsUrl === undefined || alarmId === undefined ? alarmsUrl : `${alarmsUrl}/${alarmId}`;
