import { TriangleAlert } from "lucide-preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { Age } from "../../ui/age.tsx";
import { credentialsApi } from "./credentials-api.ts";

const RECENT_MS = 24 * 3_600_000;

/** Says that a credential of the device was refused within the last day; nothing otherwise. */
export function LastRefusal({ deviceId }: { deviceId: string }) {
  const { data } = useResource(() => credentialsApi.refusals(deviceId, 1), [deviceId]);
  const [refusal] = data ?? [];
  const lastAt = refusal && toMs(refusal.lastAt);
  if (refusal === undefined || lastAt === undefined || serverNow() - lastAt > RECENT_MS) return null;
  const { count, address, reason, hint } = refusal;
  const refusedText =
    address === undefined
      ? t("connect.signInRefusedUnknown", { count })
      : t("connect.signInRefused", { count, address });
  return (
    <p class="mt-3 flex items-start gap-2 text-sm" role="status">
      <TriangleAlert size={16} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
      <span class="min-w-0 wrap-anywhere">
        <Age ts={lastAt} /> · {refusedText} {serverText(reason, reason.message)}{" "}
        {hint && serverText(hint, hint.message)}
      </span>
    </p>
  );
}
