/** Max. tags of a device or dashboard, and max. characters of a tag. */
export const TAGS_MAX = { items: 64, length: 64 } as const;
