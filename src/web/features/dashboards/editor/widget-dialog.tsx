import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { symbolEntries } from "../../../../lib/console/widget-keys.ts";
import { maxLengthOf } from "../../../lib/form-schema.macro.ts" with { type: "macro" };
import type { JsonValue } from "../../../lib/wire.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keyMetadataVersion } from "../../../platform/key-metadata.ts";
import { useKept } from "../../../platform/resource.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormButtons } from "../../../ui/form/form-buttons.tsx";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { TextField } from "../../../ui/form/text-field.tsx";
import { telemetryApi } from "../../telemetry/telemetry-api.ts";
import { type Board, configWith, newId, withWidget } from "../board/board.ts";
import { useBoardFeed } from "../board/use-board-feed.ts";
import {
  type Alias,
  dashboardsApi,
  type ResolvedDevice,
  type Widget,
  type WidgetConfig,
} from "../dashboards-api.ts";
import { kindIds, kindOf, type WidgetKindId } from "../widgets/kinds.ts";
import { keysOf } from "../widgets/values.ts";
import type { WidgetProps } from "../widgets/widget.types.ts";
import { AliasField } from "./alias-field.tsx";
import { PlacesField } from "./places-field.tsx";
import { SymbolsField } from "./symbols-field.tsx";
import { BEST_RANK, keyChoices, WidgetFields } from "./widget-fields.tsx";
import { WidgetBody } from "./widget-frame.tsx";

/** Returns the devices of an alias with their keys; empty for an alias without devices. */
function useAlias(alias: Alias | undefined): {
  readonly devices: readonly ResolvedDevice[];
  readonly keys: readonly string[];
} {
  const resource = useKept(async () => {
    const devices = alias === undefined ? [] : await dashboardsApi.resolve(alias).catch(() => []);
    return { devices, keys: await telemetryApi.keysOf(devices.map(({ deviceId }) => deviceId)) };
  }, [JSON.stringify(alias)]);
  return resource.data ?? { devices: [], keys: [] };
}

interface Props {
  readonly board: Board;
  readonly stateId: string;
  /** Edited widget; absent for a new one. */
  readonly widget?: Widget;
  readonly onChange: (board: Board) => void;
  readonly onClose: () => void;
}

/** Selects the kind of widget, then its content, with a preview. */
export function WidgetDialog({ board, stateId, widget, onChange, onClose }: Props) {
  const [draft, setDraft] = useState<Widget | undefined>(widget);
  const select = (type: WidgetKindId) => {
    const taken = board.widgets.map(({ widgetId }) => widgetId);
    const [alias] = board.aliases;
    setDraft({
      widgetId: newId("w", taken),
      type,
      name: "",
      ...(board.states.length > 1 && { dashboardStateId: stateId }),
      config: { ...kindOf(type)?.config, ...(alias && { aliasId: alias.id }) },
    });
  };
  return (
    <Dialog title={t(widget ? "board.change" : "board.add")} onClose={onClose} firm wide>
      {draft === undefined ? (
        <ul class="grid grid-cols-2 gap-2 lg:grid-cols-3">
          {kindIds.map((type) => (
            <li key={type}>
              <button
                type="button"
                class="flex h-full w-full items-center gap-3 rounded-field border border-base-300 p-2 text-left hover:border-primary hover:bg-base-200 sm:items-start sm:p-3"
                onClick={() => select(type)}
              >
                <WidgetPicture type={type} />
                <span class="min-w-0">
                  <span class="block font-medium">{t(`widget.${type}`)}</span>
                  <span class="block text-sm text-soft max-sm:sr-only">{t(`widget.${type}.hint`)}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <Setup board={board} stateId={stateId} first={draft} onChange={onChange} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Setup(props: Omit<Props, "widget"> & { first: Widget }) {
  const { board, stateId, first, onClose } = props;
  const [widget, setWidget] = useState(first);
  const [aliases, setAliases] = useState<readonly Alias[]>(board.aliases);
  const kind = kindOf(widget.type);
  const set = (changes: WidgetConfig) =>
    setWidget((now) => ({ ...now, config: configWith(now.config, changes) }));
  const aliasId = typeof widget.config.aliasId === "string" ? widget.config.aliasId : undefined;
  const { devices, keys } = useAlias(aliases.find(({ id }) => id === aliasId));
  const isOfCounters = first.type === "energy" && first.config.keys === undefined;
  // The counter that nobody had to look for, until another one is selected.
  useEffect(() => {
    if (!isOfCounters || keysOf(widget).length > 0) return;
    const [choice] = keyChoices({ widget, keys, devices });
    if (choice?.rank === BEST_RANK) set({ keys: [choice.key] });
  }, [devices, keys, keyMetadataVersion.value]);
  const isDrawn = kind?.parts.includes("symbols") === true;
  const preview = { board: { ...board, aliases }, stateId, widget };
  const fieldProps = { widget, keys, devices, onChange: set };
  const submit = (e: Event) => {
    e.preventDefault();
    props.onChange(withWidget({ ...board, aliases }, widget, kind?.size ?? { w: 4, h: 3 }));
    onClose();
  };
  return (
    <form class="flex flex-col gap-5" onSubmit={submit}>
      <div class="grid items-start gap-6 lg:grid-cols-2">
        <div class="flex min-w-0 flex-col gap-5">
          <TextField
            label={t("widget.title")}
            hint={t("widget.titleHint")}
            maxLength={maxLengthOf("dashboards/dashboard-parts.schemas.ts", "customWidgetSchema", "name")}
            value={widget.name}
            onText={(text) => setWidget({ ...widget, name: text })}
          />
          {kind?.parts.includes("devices") && (
            <AliasField
              aliases={aliases}
              aliasId={aliasId}
              isOptional={widget.type === "alarmList"}
              onChange={(next, selected) => {
                setAliases(next);
                set({ aliasId: selected });
              }}
            />
          )}
          {kind && !isDrawn && <WidgetFields {...fieldProps} parts={kind.parts} />}
          {board.states.length > 1 && <PageField board={board} widget={widget} onChange={setWidget} />}
        </div>
        <div class="flex min-w-0 flex-col gap-5 lg:sticky lg:top-0">
          {kind && isDrawn && <WidgetFields {...fieldProps} parts={kind.parts} />}
          {!isDrawn && <Preview {...preview}>{(props) => <WidgetBody {...props} />}</Preview>}
          {kind?.parts.includes("places") && <PlacesField widget={widget} devices={devices} onChange={set} />}
        </div>
      </div>
      {isDrawn && (
        <Preview {...preview} isLarge>
          {(props) => <SymbolsField {...props} devices={devices} onChange={set} />}
        </Preview>
      )}
      <FormButtons busy={false} onCancel={onClose}>
        {t("widget.take")}
      </FormButtons>
    </form>
  );
}

/** Selects the page of the widget on the dashboard. */
function PageField(props: { board: Board; widget: Widget; onChange: (widget: Widget) => void }) {
  const { board, widget, onChange } = props;
  return (
    <SelectField
      label={t("widget.state")}
      value={widget.dashboardStateId ?? ""}
      options={board.states.map(({ id, name }) => [id, name] as const)}
      none={t("widget.allStates")}
      onSelect={(dashboardStateId) => onChange({ ...widget, dashboardStateId })}
      onNone={() => {
        const { dashboardStateId: _, ...rest } = widget;
        onChange(rest);
      }}
    />
  );
}

/** Returns a copy with the fields that determine the data of the widget: pictures and places are large, and change with each step of a drag. */
function withoutDrawing({ config, ...widget }: Widget): Widget {
  const { image: _, places: __, symbols, ...others } = config;
  const named = symbolEntries({ symbols }).map(({ deviceId, key }) => ({ deviceId, key }) as JsonValue); // of JSON
  return { ...widget, config: { ...others, ...(symbols !== undefined && { symbols: named }) } };
}

/** The widget with its data, rendered by `children`. */
function Preview(props: {
  board: Board;
  stateId: string;
  widget: Widget;
  isLarge?: boolean;
  children: (props: WidgetProps) => ComponentChildren;
}) {
  const { board, stateId, widget, isLarge = false, children } = props;
  const view = useBoardFeed(
    "preview",
    { ...board, widgets: [withoutDrawing(widget)] },
    {
      window: board.timeWindow,
      stateId: widget.dashboardStateId ?? stateId,
      deviceId: undefined,
      isDraft: true,
    },
  );
  return (
    <section
      class={`flex min-w-0 flex-col gap-1.5 ${isLarge ? "" : "lg:sticky lg:top-0"}`}
      aria-label={t("widget.preview")}
      data-testid="widget-preview"
    >
      <h3 class="text-sm font-medium">{t("widget.preview")}</h3>
      <div class={isLarge ? "" : "h-56 rounded-box lg:h-72 border border-base-300 p-3"}>
        {view.isLoaded &&
          children({
            widget,
            feed: view.feed.of(widget.widgetId),
            latestOf: (deviceId) => view.feed.latestOf(deviceId),
            boundsNow: view.boundsNow,
            onReset: () => undefined,
          })}
      </div>
    </section>
  );
}

/** Strokes of the pictures, on 48 by 32. The second path has the color of the series. */
const pictures: Readonly<Record<WidgetKindId, readonly [lines: string, accent: string]>> = {
  timeseries: ["M6 4v22h38", "M8 22l8-8 7 4 8-11 11 7"],
  value: ["M8 26h32", "M12 8h8v6h-8v6h8M25 8v12h8M33 8v12"],
  energy: ["M6 4v22h38", "M12 26v-8M20 26v-14M28 26v-10M36 26v-18"],
  gauge: ["M10 24a14 14 0 1 1 28 0", "M10 24a14 14 0 0 1 20-12"],
  level: ["M18 4h12v24h-12z", "M20 26h8M20 23h8M20 20h8M20 17h8"],
  stateTimeline: ["M6 26h38", "M6 9h12M30 9h12M6 18h22M34 18h8"],
  statePie: ["M24 4a12 12 0 1 0 12 12h-12z", "M28 3a12 12 0 0 1 10 10h-10z"],
  statusGrid: ["M8 6h9v8h-9zM31 6h9v8h-9zM8 18h9v8h-9z", "M20 6h9v8h-9zM20 18h9v8h-9zM31 18h9v8h-9z"],
  deviceTable: ["M6 6h36v20h-36zM6 13h36M20 6v20", "M10 10h6M24 10h12M10 17h6M10 22h6"],
  alarmList: ["M18 9h24M18 16h24M18 23h24", "M9 9h3M9 16h3M9 23h3"],
  commandButton: ["M8 10h32v12h-32z", "M16 16h14M26 12l5 4-5 4"],
  slider: ["M6 16h36", "M6 16h20M26 11a5 5 0 1 0 .1 0"],
  markdown: ["M8 6h32M8 12h32M8 18h32M8 24h18", "M8 6h14"],
  map: [
    "M6 5h36v22h-36zM6 16h36M18 5v22M30 5v22",
    "M24 20c-4-4-5-6-5-8a5 5 0 0 1 10 0c0 2-1 4-5 8zM24 12h.1",
  ],
  synoptic: ["M6 18h10M32 18h10M24 4v6", "M24 10a8 8 0 1 0 .1 0zM24 10v16"],
  floorPlan: ["M6 5h36v22h-36zM20 5v10h-14M30 27v-12h12", "M13 10h1M35 21h1M25 19h1"],
};

/** Small picture of a kind of widget. */
function WidgetPicture({ type }: { type: WidgetKindId }) {
  const [lines, accent] = pictures[type];
  const line = {
    fill: "none",
    "stroke-width": 2,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  } as const;
  return (
    <svg viewBox="0 0 48 32" class="mt-0.5 h-10 w-15 flex-none rounded bg-base-200" aria-hidden="true">
      <path d={lines} {...line} class="stroke-base-content/40" />
      <path d={accent} {...line} class="stroke-primary" />
    </svg>
  );
}
