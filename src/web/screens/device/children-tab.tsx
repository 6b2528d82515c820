import { Link2, Plus, Router } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { AttachDevices } from "../../components/attach-devices.tsx";
import { ChildHeader, ChildLine } from "../../components/child-line.tsx";
import { CreateDevice } from "../../components/create-device.tsx";
import { DetachDevice } from "../../components/detach-device.tsx";
import { useRowHeight } from "../../components/device-line.tsx";
import { ErrorNote } from "../../components/error-note.tsx";
import { Empty } from "../../components/parts.tsx";
import { VirtualRows } from "../../components/virtual-rows.tsx";
import { plural, t } from "../../i18n/i18n.ts";
import { endpointFrom, gatewaySnippet, SNIPPET_NAMES } from "../../lib/snippets.ts";
import { api } from "../../state/api.ts";
import type { DeviceRow } from "../../state/api-types.ts";
import { DevicePages, noFilter } from "../../state/device-pages.ts";
import { useResource } from "../../state/resource.ts";
import { mayWrite } from "../../state/session.ts";
import { useDeviceRows } from "../../state/use-device-rows.ts";
import type { DeviceTabProps } from "../device.tsx";
import { Snippet } from "./connect-tab.tsx";

/** The head of the table and the frame around it. */
const HEADER_PX = 40;

/** One line to copy that makes two children appear. */
function Example({ token }: { token: string }) {
  const catalog = useResource(api.catalog, []);
  if (catalog.data === undefined) return null;
  const signIn = { kind: "token", token } as const;
  const text = gatewaySnippet(endpointFrom(catalog.data.transports, location, { signIn, secure: false }));
  return (
    <div class="w-full max-w-2xl text-left">
      <Snippet name={SNIPPET_NAMES.mosquitto} text={text} />
    </div>
  );
}

/** The devices behind a gateway, live. */
export function ChildrenTab({ device }: DeviceTabProps) {
  const { deviceId } = device;
  const pages = useMemo(() => new DevicePages({ ...noFilter, parentDeviceId: deviceId }), [deviceId]);
  const { seen, onWindow, refresh } = useDeviceRows(pages);
  const [dialog, setDialog] = useState<"create" | "attach" | DeviceRow>();
  const rowHeight = useRowHeight();
  const total = pages.total.value;
  void pages.version.value;
  const close = () => {
    setDialog(undefined);
    refresh();
  };
  return (
    <div class="flex flex-col gap-4">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <p class="text-sm text-soft" role="status">
          {t("children.hint")} {total !== undefined && plural("devices.count", total)}
        </p>
        {mayWrite.value && (
          <div class="flex flex-wrap gap-2">
            <button type="button" class="btn btn-sm" onClick={() => setDialog("attach")}>
              <Link2 size={15} aria-hidden="true" />
              {t("children.attach")}
            </button>
            <button type="button" class="btn btn-sm btn-primary" onClick={() => setDialog("create")}>
              <Plus size={15} aria-hidden="true" />
              {t("children.create")}
            </button>
          </div>
        )}
      </div>
      {pages.error.value !== undefined && <ErrorNote error={pages.error.value} onRetry={refresh} />}
      {total === 0 ? (
        <div class="panel">
          <Empty
            icon={<Router size={32} aria-hidden="true" />}
            title={t("children.none")}
            hint={t("children.noneHint")}
          >
            {device.credentials?.token && <Example token={device.credentials.token} />}
          </Empty>
        </div>
      ) : (
        <div
          class="flex flex-col"
          style={{ height: `min(max(60vh, 16rem), ${(total ?? 6) * rowHeight + HEADER_PX}px)` }}
          data-testid="children"
        >
          <VirtualRows
            count={total ?? 6}
            rowHeight={rowHeight}
            label={t("tab.children")}
            header={<ChildHeader />}
            onWindow={onWindow}
            renderRow={(index) => (
              <ChildLine
                key={index}
                index={index}
                row={pages.row(index)}
                seen={seen}
                height={rowHeight}
                onDetach={setDialog}
              />
            )}
          />
        </div>
      )}
      {dialog === "create" && <CreateDevice gateway={device} onClose={close} />}
      {dialog === "attach" && <AttachDevices gatewayId={deviceId} onClose={close} />}
      {typeof dialog === "object" && <DetachDevice device={dialog} onClose={close} onDone={refresh} />}
    </div>
  );
}
