import { formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

/** Bars for each second of the last minute. */
export function RateBars({ rates }: { rates: readonly number[] }) {
  const top = Math.max(1, ...rates);
  const width = 100 / rates.length;
  return (
    <svg
      viewBox="0 0 100 24"
      preserveAspectRatio="none"
      class="h-9 w-full"
      role="img"
      aria-label={t("overview.rateChart", { top: formatNumber(top) })}
    >
      <path d="M0 23.75H100" stroke="currentColor" stroke-width="0.5" opacity="0.35" />
      {rates.map((rate, i) => {
        const height = (rate / top) * 23;
        return (
          <rect
            key={i}
            x={i * width + width * 0.12}
            y={23.5 - height}
            width={width * 0.76}
            height={height}
            class="fill-primary"
          />
        );
      })}
    </svg>
  );
}
