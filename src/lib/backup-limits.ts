/** Within how many days every object at the place of the backups is read back. */
export const VERIFY_DAYS_DEFAULT = 14;
export const VERIFY_DAYS_MAX = 365;
