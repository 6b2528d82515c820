/**
 * Returns the URL of one alarm in the console, or of the list of alarms.
 * @param alarmsUrl URL of the list in the console; undefined if the gateway does not know its URL
 */
export const alarmLink = (alarmsUrl: string | undefined, alarmId?: string): string | undefined =>
  alarmsUrl === undefined || alarmId === undefined ? alarmsUrl : `${alarmsUrl}/${alarmId}`;
