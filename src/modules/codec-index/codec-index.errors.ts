import { conflict, invalid, notFound } from "../../lib/core/domain-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";

export const entryNotFound = () => notFound("codec_index.entry_not_found");
export const indexBusy = () => conflict("codec_index.busy");
export const archiveMissing = () => conflict("codec_index.archive_missing");
export const archiveTooLarge = (mebibytes: number) => invalid("codec_index.archive_too_large", { mebibytes });
export const archiveUnreadable = (reason: string) =>
  invalid("codec_index.archive_unreadable", { reason: excerpt(reason) });
export const archiveUnknown = () => invalid("codec_index.archive_unknown");
export const folderInvalid = () => invalid("codec_index.folder_invalid");
export const folderUnreadable = (path: string) =>
  invalid("codec_index.folder_unreadable", { path: excerpt(path) });
export const collectionTooLarge = (mebibytes: number) =>
  invalid("codec_index.collection_too_large", { mebibytes });
export const tooMany = (max: number) => invalid("codec_index.too_many", { max });
export const noCodecs = () => invalid("codec_index.no_codecs");
