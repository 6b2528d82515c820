import { Star } from "lucide-preact";
import { useState } from "preact/hooks";
import { limitLevel } from "../../../lib/keys/key-metadata.ts";
import { dataHref } from "../../lib/data-href.ts";
import { formatReading } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { limitsText } from "../../ui/form/limits-text.ts";
import { SearchBox } from "../../ui/form/search-box.tsx";
import { Age } from "../../ui/state/age.tsx";
import { AlarmLink } from "../../ui/state/alarm-link.tsx";
import { levelClass } from "../../ui/state/severity-colors.ts";
import { StateDot } from "../../ui/state/state-dot.tsx";
import type { LatestValues } from "../telemetry/use-latest-values.ts";

/** Max. values shown as tiles. With more, a device shows a table, and only favorites as tiles. */
export const TILES_MAX = 24;

interface Props {
  readonly deviceId: string;
  readonly keys: readonly string[];
  readonly latest: LatestValues;
  /** Increases with every message; `latest` itself is the same object. */
  readonly version: number;
  readonly favorites: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
}

/** Table of the values of a device with many of them, searchable by key, name and group. */
export function ValueTable(props: Props) {
  const { deviceId, keys } = props;
  const [search, setSearch] = useState("");
  const wanted = search.toLowerCase();
  const found = keys.filter((key) => {
    const metadata = metadataOf(deviceId, key);
    return [key, metadata?.name, metadata?.group].some((text) => text?.toLowerCase().includes(wanted));
  });
  return (
    <section class="flex flex-col gap-2.5" aria-label={t("device.allValues")}>
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 class="panel-label">{t("device.allValues")}</h2>
        <SearchBox label={t("columns.searchKeys")} value={search} onSearch={setSearch} />
        <p class="text-sm text-soft" role="status">
          {plural("device.valueCount", found.length)}
        </p>
      </div>
      <div class="panel overflow-x-auto">
        <table class="table table-sm">
          <thead class="text-soft">
            <tr>
              <th scope="col">
                <span class="sr-only">{t("device.favorite")}</span>
              </th>
              <th scope="col">{t("common.name")}</th>
              <th scope="col" class="text-right">
                {t("common.value")}
              </th>
              <th scope="col" class="max-sm:hidden">
                {t("meta.limits")}
              </th>
              <th scope="col" class="text-right max-sm:hidden">
                {t("device.valueAge")}
              </th>
              <th scope="col">
                <span class="sr-only">{t("nav.alarms")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.map((key) => (
              <ValueRow key={key} name={key} {...props} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ValueRow({ name, deviceId, latest, favorites, onToggle }: Props & { name: string }) {
  const entry = latest.values.get(name);
  if (!entry) return null;
  const metadata = metadataOf(deviceId, name);
  const label = metadata?.name ?? name;
  const level = limitLevel(entry.value, metadata?.limits);
  const isFavorite = favorites.has(name);
  const star = t(isFavorite ? "device.unstar" : "device.star", { name: label });
  return (
    <tr>
      <td class="w-0 py-1">
        <button
          type="button"
          class="btn btn-ghost btn-square btn-xs text-soft"
          aria-pressed={isFavorite}
          aria-label={star}
          title={star}
          onClick={() => onToggle(name)}
        >
          <Star size={14} class={isFavorite ? "fill-current" : ""} aria-hidden="true" />
        </button>
      </td>
      <td class="py-1">
        <a class="font-medium wrap-anywhere hover:underline" href={dataHref(deviceId, name)} title={name}>
          {label}
        </a>
      </td>
      <td class={`reading py-1 text-right wrap-anywhere ${levelClass(level, "text")}`}>
        <span class="inline-flex items-center gap-2">
          <StateDot value={entry.value} metadata={metadata} />
          {formatReading(entry.value, metadata)}
        </span>
        {level !== "normal" && <span class="sr-only"> {t(`level.${level}`)}</span>}
      </td>
      <td class="py-1 text-soft max-sm:hidden">{limitsText(metadata)}</td>
      <td class="py-1 text-right text-soft max-sm:hidden">
        <Age ts={entry.ts} />
      </td>
      <td class="w-0 py-1">
        <AlarmLink deviceId={deviceId} name={name} />
      </td>
    </tr>
  );
}
