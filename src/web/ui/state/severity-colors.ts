// The only map of severities to colors. Their tokens are in styles.css, for both themes. Red, orange, amber and yellow follow the
// severity, as in most alarm lists of SCADA systems; blue stays the color of information.

import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { type LimitLevel, limitSeverities } from "../../../lib/keys/key-metadata.ts";

interface SeverityClasses {
  /** Color of text, readable on every background of the theme. */
  readonly text: string;
  /** The color of marks as `currentColor`, for graphics. */
  readonly graphic: string;
  /** Background of a mark, outlined in the color of marks. */
  readonly ground: string;
  readonly fill: string;
  /** Background and text color of a badge. */
  readonly badge: string;
}

const classes: Readonly<Record<AlarmSeverity, SeverityClasses>> = {
  CRITICAL: {
    text: "text-severity-critical-text",
    graphic: "text-severity-critical",
    ground: "fill-severity-critical-ground",
    fill: "bg-severity-critical",
    badge: "border-transparent bg-severity-critical-text text-base-100",
  },
  MAJOR: {
    text: "text-severity-major-text",
    graphic: "text-severity-major",
    ground: "fill-severity-major-ground",
    fill: "bg-severity-major",
    badge: "border-transparent bg-severity-major-text text-base-100",
  },
  MINOR: {
    text: "text-severity-minor-text",
    graphic: "text-severity-minor",
    ground: "fill-severity-minor-ground",
    fill: "bg-severity-minor",
    badge: "border-transparent bg-severity-minor-text text-base-100",
  },
  WARNING: {
    text: "text-severity-warning-text",
    graphic: "text-severity-warning",
    ground: "fill-severity-warning-ground",
    fill: "bg-severity-warning",
    badge: "border-transparent bg-severity-warning-text text-base-100",
  },
  INDETERMINATE: {
    text: "text-severity-indeterminate-text",
    graphic: "text-severity-indeterminate",
    ground: "fill-severity-indeterminate-ground",
    fill: "bg-severity-indeterminate",
    badge: "border-transparent bg-severity-indeterminate-text text-base-100",
  },
};

export const severityClass = (severity: AlarmSeverity, use: keyof SeverityClasses): string =>
  classes[severity][use];

/** Returns the class of a value beyond a limit; `normal` is that of a value within its limits. */
export const levelClass = (level: LimitLevel, use: keyof SeverityClasses, normal = ""): string =>
  level === "normal" ? normal : severityClass(limitSeverities[level], use);

/** Name of the CSS variable with the color of marks and lines. */
export const severityVariable = (severity: AlarmSeverity): string => `--severity-${severity.toLowerCase()}`;

/** Returns the color of marks and lines in the current theme, in a format for a canvas. */
export const severityColor = (severity: AlarmSeverity): string =>
  getComputedStyle(document.documentElement).getPropertyValue(severityVariable(severity));
