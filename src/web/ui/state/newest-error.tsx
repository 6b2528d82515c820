import type { Text } from "../../../lib/texts/text.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Age } from "./age.tsx";

/** The newest error of something that continues to work. `at`: ISO 8601. */
export const NewestError = (props: { error: Text | null; at: string | null; class?: string }) =>
  props.error && (
    <p class={`text-sm wrap-anywhere ${props.class ?? ""}`}>
      {t("common.newestError")} (<Age ts={toMs(props.at)} />
      ): {serverPhrase(props.error)}
    </p>
  );
