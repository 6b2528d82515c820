import { Copy, Settings2, Trash2 } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ZoomStack } from "../../../lib/zoom-stack.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { IconButton } from "../../../ui/icon-button.tsx";
import type { BoardState, Widget, WindowSpec } from "../dashboards-api.ts";
import { titleOf, WidgetBody } from "../editor/widget-frame.tsx";
import { WidgetLinks } from "../editor/widget-links.tsx";
import { kindOf } from "../widgets/kinds.ts";
import type { Bounds, WidgetPlace } from "../widgets/widget.types.ts";
import { type Board, layoutIn, withLayout, withoutWidget } from "./board.ts";
import { CopyDialog } from "./copy-widget.tsx";
import { GridBoard } from "./grid-board.tsx";
import { type BoardView, ownWindowOf } from "./use-board-feed.ts";
import { windowText } from "./window-picker.tsx";

/** Pages of a dashboard with more than one. */
export function PageChoice(props: {
  states: readonly BoardState[];
  stateId: string;
  onSelect: (stateId: string) => void;
}) {
  const { states, stateId, onSelect } = props;
  if (states.length < 2) return <span />;
  return (
    <nav class="flex flex-wrap gap-1" aria-label={t("board.states")}>
      {states.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class={`btn btn-sm ${id === stateId ? "btn-neutral" : "btn-ghost"}`}
          aria-pressed={id === stateId}
          onClick={() => onSelect(id)}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

const isControl = ({ type }: Widget): boolean => type === "commandButton" || type === "slider";

/** Returns the containment of a widget: with a fixed size, its changes do not affect other layout, which saves work. */
function containment(isStacked: boolean, isFitted = false): string {
  if (isStacked) return "";
  return isFitted ? "widget-layer" : "contain-strict";
}

/** Widgets of a page at their places. A fitted board is for a wall: it fits the screen and has no active controls. */
export function BoardWidgets(props: {
  board: Board;
  stateId: string;
  view: BoardView;
  isEditing?: boolean;
  isFitted?: boolean;
  /** Displayed time. With it, widgets link their values to Explore, except on a wall. */
  window?: WindowSpec;
  /** Id of the dashboard from which widgets can be copied to others. */
  dashboardId?: string;
  onChange?: (board: Board) => void;
  onOpen?: (widget: Widget) => void;
  onWindow: (window: WindowSpec) => void;
}) {
  const { board, stateId, view, isEditing = false, onChange = () => undefined } = props;
  const [copied, setCopied] = useState<Widget | undefined>(undefined);
  const host = useScrollToNew(board, isEditing);
  const zooms = useRef(new ZoomStack<WindowSpec>()).current;
  const zoom = (bounds: Bounds, isPan: boolean) => {
    const next: WindowSpec = { mode: "absolute", ...bounds };
    zooms.leave(view.window, next, { isPan });
    props.onWindow(next);
  };
  const byId = new Map(board.widgets.map((widget) => [widget.widgetId, widget]));
  const title = (id: string) => {
    const widget = byId.get(id);
    return widget === undefined ? id : titleOf(widget);
  };
  return (
    <div ref={host} class="contents">
      <GridBoard
        places={layoutIn(board, stateId)}
        isEditing={isEditing}
        isFitted={props.isFitted ?? false}
        titleOf={title}
        stackedOf={(id) => kindOf(byId.get(id)?.type ?? "")?.stacked ?? "content"}
        onChange={(places) => onChange(withLayout(board, places))}
      >
        {(id, { handle, isStacked }) => {
          const widget = byId.get(id);
          if (widget === undefined) return null;
          return (
            <section
              class={`panel group relative flex h-full min-h-0 flex-col gap-1.5 overflow-hidden p-3 ${containment(isStacked, props.isFitted)}`}
              aria-label={title(id)}
              data-testid="widget"
              data-widget={id}
            >
              <WidgetHead
                title={title(id)}
                window={ownWindowOf(widget)}
                handle={handle}
                edit={
                  isEditing
                    ? {
                        onOpen: () => props.onOpen?.(widget),
                        onCopy: () => setCopied(widget),
                        onRemove: () => onChange(withoutWidget(board, id)),
                      }
                    : undefined
                }
              >
                {!isEditing && !props.isFitted && props.window !== undefined && view.isLoaded && (
                  <WidgetLinks
                    widget={widget}
                    feed={view.feed}
                    window={ownWindowOf(widget) ?? props.window}
                    title={title(id)}
                  />
                )}
              </WidgetHead>
              {view.isLoaded && (
                <Body
                  isInert={props.isFitted === true && isControl(widget)}
                  place={isStacked ? "stack" : props.isFitted ? "wall" : "cell"}
                  widget={widget}
                  view={view}
                  onWindow={zoom}
                  onReset={() => props.onWindow(zooms.back(view.window) ?? board.timeWindow)}
                />
              )}
            </section>
          );
        }}
      </GridBoard>
      {copied && (
        <CopyDialog
          dashboardId={props.dashboardId}
          board={board}
          widget={copied}
          title={title(copied.widgetId)}
          onChange={onChange}
          onClose={() => setCopied(undefined)}
        />
      )}
    </div>
  );
}

/** Scrolls to an added widget, which may be out of view. */
function useScrollToNew({ widgets }: Board, isEditing: boolean) {
  const host = useRef<HTMLDivElement>(null);
  const previous = useRef(widgets);
  useEffect(() => {
    const before = new Set(previous.current.map(({ widgetId }) => widgetId));
    const added = isEditing ? widgets.find(({ widgetId }) => !before.has(widgetId)) : undefined;
    previous.current = widgets;
    const all = host.current?.querySelectorAll<HTMLElement>("[data-widget]") ?? [];
    [...all].find(({ dataset }) => dataset.widget === added?.widgetId)?.scrollIntoView({ block: "nearest" });
  }, [widgets]);
  return host;
}

function WidgetHead(props: {
  title: string;
  /** Shown if it differs from that of the dashboard. */
  window: WindowSpec | undefined;
  handle: ComponentChildren;
  /** Present while the dashboard is edited. */
  edit:
    | { readonly onOpen: () => void; readonly onCopy: () => void; readonly onRemove: () => void }
    | undefined;
  children: ComponentChildren;
}) {
  const { title, edit } = props;
  return (
    <header class="flex flex-none items-center gap-2">
      {props.handle}
      <h2 class="min-w-0 flex-1 truncate text-sm font-semibold">{title}</h2>
      {props.window && <span class="flex-none text-xs text-soft">{windowText(props.window)}</span>}
      {props.children}
      {edit !== undefined && (
        <>
          <IconButton
            icon={Settings2}
            size={14}
            label={t("board.configure", { name: title })}
            class="btn btn-ghost btn-square btn-xs"
            onClick={edit.onOpen}
          />
          <IconButton
            icon={Copy}
            size={14}
            label={t("board.copy", { name: title })}
            class="btn btn-ghost btn-square btn-xs"
            onClick={edit.onCopy}
          />
          <IconButton
            icon={Trash2}
            size={14}
            label={t("board.remove", { name: title })}
            class="btn btn-ghost btn-square btn-xs text-error"
            onClick={edit.onRemove}
          />
        </>
      )}
    </header>
  );
}

/** Content of a widget; not drawn while scrolled out of view. */
function Body(props: {
  widget: Widget;
  view: BoardView;
  /** True for a control on a fitted board, where it is inactive. */
  isInert: boolean;
  place: WidgetPlace;
  onWindow: (bounds: Bounds, isPan: boolean) => void;
  onReset: () => void;
}) {
  const { widget, view } = props;
  const { feed } = view;
  const { widgetId } = widget;
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => feed.setSeen(widgetId, entries.at(-1)?.isIntersecting ?? true),
      { rootMargin: "100px" },
    );
    if (host.current) observer.observe(host.current);
    return () => {
      observer.disconnect();
      feed.setSeen(widgetId, true);
    };
  }, [feed, widgetId]);
  return (
    <div
      ref={host}
      class={`min-h-0 flex-1 ${props.place === "stack" ? "max-h-[26rem] overflow-y-auto" : ""}`}
      inert={props.isInert}
    >
      <WidgetBody
        widget={widget}
        feed={feed.of(widgetId)}
        latestOf={(deviceId) => feed.latestOf(deviceId)}
        boundsNow={view.boundsNow}
        onWindow={props.onWindow}
        onReset={props.onReset}
        place={props.place}
      />
    </div>
  );
}
