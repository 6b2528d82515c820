import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { AliasField } from "./alias-field.tsx";
import { type Board, newId, withWidget } from "./board.ts";
import type { Alias, Widget, WidgetConfig } from "./dashboards-api.ts";
import { useAlias } from "./use-alias.ts";
import { useBoardFeed } from "./use-board-feed.ts";
import { WidgetFields } from "./widget-fields.tsx";
import { WidgetBody } from "./widget-frame.tsx";
import { WidgetPicture } from "./widget-picture.tsx";
import { kindIds, kindOf, type WidgetKindId } from "./widgets/kinds.ts";

interface Props {
  readonly board: Board;
  readonly stateId: string;
  /** Widget to edit; absent for a new one. */
  readonly widget?: Widget;
  readonly onClose: (board: Board | undefined) => void;
}

/** First which kind, then what it shows; it is seen as it will be while one sets it up. */
export function WidgetDialog({ board, stateId, widget, onClose }: Props) {
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
    <Dialog title={t(widget ? "board.change" : "board.add")} onClose={() => onClose(undefined)} firm wide>
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
        <Setup board={board} stateId={stateId} first={draft} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Setup(props: { board: Board; stateId: string; first: Widget; onClose: Props["onClose"] }) {
  const { board, stateId, first, onClose } = props;
  const [widget, setWidget] = useState(first);
  const [aliases, setAliases] = useState<readonly Alias[]>(board.aliases);
  const kind = kindOf(widget.type);
  const set = (changes: WidgetConfig) =>
    setWidget((now) => ({
      ...now,
      config: Object.fromEntries(
        Object.entries({ ...now.config, ...changes }).filter(([, value]) => value !== undefined),
      ),
    }));
  const aliasId = typeof widget.config.aliasId === "string" ? widget.config.aliasId : undefined;
  const { devices, keys } = useAlias(aliases.find(({ id }) => id === aliasId));
  const fieldProps = { widget, keys, devices, onChange: set };
  const submit = (e: Event) => {
    e.preventDefault();
    onClose(withWidget({ ...board, aliases }, widget, kind?.size ?? { w: 4, h: 3 }));
  };
  return (
    <form class="flex flex-col gap-5" onSubmit={submit}>
      <div class="grid items-start gap-6 lg:grid-cols-2">
        <div class="flex min-w-0 flex-col gap-5">
          <TextField
            label={t("widget.title")}
            hint={t("widget.titleHint")}
            maxLength={256}
            value={widget.name}
            onText={(text) => setWidget({ ...widget, name: text })}
          />
          {kind?.fields.includes("devices") && (
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
          {kind && (
            <WidgetFields {...fieldProps} fields={kind.fields.filter((field) => field !== "places")} />
          )}
          {board.states.length > 1 && <PageField board={board} widget={widget} onChange={setWidget} />}
        </div>
        <div class="flex min-w-0 flex-col gap-5 lg:sticky lg:top-0">
          <Preview board={{ ...board, aliases, widgets: [widget] }} stateId={stateId} widget={widget} />
          {kind?.fields.includes("places") && <WidgetFields {...fieldProps} fields={["places"]} />}
        </div>
      </div>
      <FormButtons busy={false} onCancel={() => onClose(undefined)}>
        {t("widget.take")}
      </FormButtons>
    </form>
  );
}

/** Selects the page of the dashboard on which the widget stands. */
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

function Preview({ board, stateId, widget }: { board: Board; stateId: string; widget: Widget }) {
  const view = useBoardFeed("preview", board, {
    window: board.timeWindow,
    stateId: widget.dashboardStateId ?? stateId,
    deviceId: undefined,
    isDraft: true,
  });
  return (
    <section
      class="flex min-w-0 flex-col gap-1.5 lg:sticky lg:top-0"
      aria-label={t("widget.preview")}
      data-testid="widget-preview"
    >
      <h3 class="text-sm font-medium">{t("widget.preview")}</h3>
      <div class="h-56 rounded-box lg:h-72 border border-base-300 p-3">
        {view.isLoaded && (
          <WidgetBody
            widget={widget}
            feed={view.feed.of(widget.widgetId)}
            latestOf={(deviceId) => view.feed.latestOf(deviceId)}
            boundsNow={view.boundsNow}
            onZoom={() => undefined}
            onReset={() => undefined}
          />
        )}
      </div>
    </section>
  );
}
