import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { levelClass } from "../../../ui/severity-colors.ts";
import { StateLamp } from "../../../ui/state-lamp.tsx";
import { type Block, type Inline, parseMarkdown } from "../markdown.ts";
import { Drill } from "./drill.tsx";
import { isPicture, Plan } from "./plan.tsx";
import { keysOf, levelOf, newestOf, scrolling, shown, textOf } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

function Text({ content }: { content: readonly Inline[] }) {
  return (
    <>
      {content.map((part, index) => {
        const key = `${index} ${part.text}`;
        if (part.kind === "strong") return <strong key={key}>{part.text}</strong>;
        if (part.kind === "em") return <em key={key}>{part.text}</em>;
        if (part.kind === "code")
          return (
            <code key={key} class="reading">
              {part.text}
            </code>
          );
        if (part.kind === "link")
          return (
            <a key={key} class="link" href={part.href} rel="noreferrer">
              {part.text}
            </a>
          );
        return part.text;
      })}
    </>
  );
}

const headingClass = { 1: "text-xl font-semibold", 2: "text-lg font-semibold", 3: "font-semibold" } as const;

function Paragraph({ block }: { block: Block }) {
  switch (block.kind) {
    case "heading":
      // The widget's own heading is a second one.
      return (
        <h3 class={headingClass[block.level]}>
          <Text content={block.content} />
        </h3>
      );
    case "code":
      return <pre class="reading overflow-x-auto rounded-field bg-base-200 p-2 text-sm">{block.text}</pre>;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List class={`pl-5 ${block.ordered ? "list-decimal" : "list-disc"}`}>
          {block.items.map((item, index) => (
            <li key={`${index} ${item[0]?.text}`}>
              <Text content={item} />
            </li>
          ))}
        </List>
      );
    }
    default:
      return (
        <p>
          <Text content={block.content} />
        </p>
      );
  }
}

export function MarkdownWidget({ widget }: WidgetProps) {
  const image = textOf(widget, "image");
  const blocks = parseMarkdown(textOf(widget, "text"));
  return (
    <div {...scrolling} class="flex h-full min-h-0 flex-col gap-2 overflow-y-auto wrap-anywhere">
      {isPicture(image) && (
        <img class="min-h-0 flex-1 object-contain" src={image} alt={textOf(widget, "alt")} />
      )}
      {blocks.map((block, index) => (
        <Paragraph key={`${index} ${block.kind}`} block={block} />
      ))}
    </div>
  );
}

interface Spot {
  readonly deviceId: string;
  /** Shares of the picture's width and height. */
  readonly x: number;
  readonly y: number;
}

/** Returns where devices stand on the plan; those without a place stand in a row at its foot. */
export function spotsOf({
  widget,
  feed,
}: Pick<WidgetProps, "widget"> & { feed: Pick<WidgetProps["feed"], "devices"> }): Spot[] {
  const places = widget.config.places;
  const existing: Record<string, { x?: unknown; y?: unknown }> =
    typeof places === "object" && places !== null
      ? (places as Record<string, { x?: unknown; y?: unknown }>)
      : {};
  return feed.devices.map(({ deviceId }, index) => {
    const { x, y } = existing[deviceId] ?? {};
    const isPlaced = typeof x === "number" && typeof y === "number";
    return isPlaced ? { deviceId, x, y } : { deviceId, x: (index + 1) / (feed.devices.length + 1), y: 0.92 };
  });
}

export function FloorPlanWidget(props: WidgetProps) {
  const { widget, feed } = props;
  void feed.version.value;
  const keys = keysOf(widget);
  const devices = new Map(feed.devices.map((device) => [device.deviceId, device]));
  return (
    <div class="h-full min-h-0" data-testid="floor-plan">
      <Plan widget={widget} alt={widget.name || t("widget.floorPlan")}>
        {!isPicture(textOf(widget, "image")) && <p class="p-4 text-soft">{t("widget.noPlan")}</p>}
        <ul>
          {spotsOf(props).map(({ deviceId, x, y }) => {
            const device = devices.get(deviceId);
            if (device === undefined) return null;
            // Machines of several kinds stand on one plan: each shows the first of the keys that it has.
            const key = keys.find((name) => newestOf(props, deviceId, name).value !== undefined);
            const { value } = key === undefined ? { value: undefined } : newestOf(props, deviceId, key);
            const metadata = key === undefined ? undefined : metadataOf(deviceId, key);
            const level = levelOf(widget, value, metadata);
            return (
              <li
                key={deviceId}
                class="absolute -translate-x-1/2 -translate-y-1/2"
                style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
              >
                <Drill
                  class="flex items-center gap-2 rounded-full border border-base-300 bg-base-100 px-2.5 py-1 text-sm shadow-sm hover:border-primary"
                  href={`/devices/${deviceId}`}
                  title={device.name}
                >
                  <StateLamp active={device.active} severity={device.alarmSeverity} bare />
                  <span class="max-w-28 truncate @max-xl:sr-only">{device.name}</span>
                  {value !== undefined && (
                    <span class={`reading font-medium @max-md:sr-only ${levelClass(level, "text")}`}>
                      {shown(widget, value, metadata)}
                    </span>
                  )}
                </Drill>
              </li>
            );
          })}
        </ul>
      </Plan>
    </div>
  );
}
