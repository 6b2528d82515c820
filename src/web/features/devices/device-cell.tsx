// biome-ignore-all lint/a11y/useSemanticElements: cells of a table of which only the rows in view exist
import type { DeviceRow } from "../../lib/api-types.ts";
import { formatReading, toMs } from "../../platform/i18n/format.ts";
import { metadataOf } from "../../platform/key-metadata.ts";
import { Age } from "../../ui/age.tsx";
import { type ColumnId, readingOf } from "./device-columns.ts";
import type { LiveDevice } from "./use-device-rows.ts";

interface Props {
  readonly id: ColumnId;
  readonly row: DeviceRow;
  readonly live: LiveDevice | undefined;
  readonly names: ReadonlyMap<string, string>;
}

const TextCell = ({ text }: { text: string }) => (
  <span role="cell" class="truncate text-sm max-sm:hidden" title={text}>
    {text}
  </span>
);

export function DeviceCell({ id, row, live, names }: Props) {
  switch (id) {
    case "type":
      return <TextCell text={row.deviceType} />;
    case "profile":
      return <TextCell text={names.get(row.profileId) ?? ""} />;
    case "gateway":
      return <TextCell text={names.get(row.parentDeviceId ?? "") ?? ""} />;
    case "tags":
      return <TagsCell tags={row.tags} />;
    case "lastMessage":
      return (
        <span role="cell" class="reading text-right text-sm text-soft">
          <Age ts={Math.max(live?.ts ?? 0, toMs(row.lastActivityAt) ?? 0) || undefined} />
        </span>
      );
    default:
      return <ValueCell id={id} deviceId={row.deviceId} live={live} />;
  }
}

const TagsCell = ({ tags }: { tags: readonly string[] }) => (
  <span role="cell" class="flex min-w-0 gap-1 overflow-hidden max-sm:hidden">
    {tags.map((tag) => (
      <a
        key={tag}
        href={`/devices?tag=${encodeURIComponent(tag)}`}
        class="badge badge-sm relative z-1 border-base-300 bg-base-200 hover:border-primary"
      >
        {tag}
      </a>
    ))}
  </span>
);

function ValueCell({ id, deviceId, live }: { id: ColumnId; deviceId: string; live: LiveDevice | undefined }) {
  const reading = readingOf(id, live?.values);
  const text = reading ? formatReading(reading.value, metadataOf(deviceId, reading.key)) : "–";
  return (
    <span role="cell" class="reading truncate text-right text-sm max-sm:hidden" title={text}>
      {text}
    </span>
  );
}
