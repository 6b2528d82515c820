/** Seconds per dashboard of a rotation. */
export const ROTATION_SECONDS = { min: 1, usual: 30, max: 3_600 } as const;
/** Max. dashboards of a rotation. */
export const ROTATION_DASHBOARDS_MAX = 20;
