/** Seconds for which each dashboard of a rotation is shown. */
export const ROTATION_SECONDS = { min: 1, usual: 30, max: 3_600 } as const;
/** Longest list of dashboards that are shown in turn. */
export const ROTATION_DASHBOARDS_MAX = 20;
