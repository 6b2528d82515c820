/** Max. days until every object at the backup place is read back. */
export const VERIFY_DAYS_DEFAULT = 14;
export const VERIFY_DAYS_MAX = 365;
