import { gzipSync } from "node:zlib";
import { packTar, type TarEntry } from "modern-tar";

/** A file, a folder (its path ends in `/`) or a symbolic link of an archive, from the root of the file system. Root owns it, unless `owner` says otherwise. */
export interface ArchivedFile {
  /** Such as `/usr/bin/lineside`. */
  readonly path: string;
  readonly content?: string | Uint8Array | undefined;
  readonly linkTo?: string | undefined;
  readonly mode: number;
  /** Id of the user and of the group. */
  readonly owner?: number;
}

/** Returns a compressed tar of files below `./`, with the folders that they are in. Equal files and times give equal bytes. */
export async function packRootArchive(files: readonly ArchivedFile[], mtime: Date): Promise<Uint8Array> {
  const folders = new Map<string, TarEntry>();
  const others: TarEntry[] = [];
  const byRoot = { uid: 0, gid: 0, uname: "root", gname: "root", mtime };
  const addFolder = (path: string, mode: number, owner?: number): void => {
    const by = owner === undefined ? byRoot : { uid: owner, gid: owner, uname: "", gname: "", mtime };
    folders.set(path, { header: { name: `.${path}`, size: 0, type: "directory", mode, ...by } });
  };
  addFolder("/", 0o755);
  for (const { path, content = "", linkTo, mode, owner } of files) {
    for (let end = path.indexOf("/", 1); end > 0; end = path.indexOf("/", end + 1))
      if (!folders.has(path.slice(0, end + 1))) addFolder(path.slice(0, end + 1), 0o755);
    const header = { name: `.${path}`, mode, ...byRoot };
    if (path.endsWith("/")) addFolder(path, mode, owner);
    else if (linkTo !== undefined)
      others.push({ header: { ...header, size: 0, type: "symlink", linkname: linkTo } });
    else others.push({ header: { ...header, size: Buffer.byteLength(content) }, body: content });
  }
  return gzipSync(await packTar([...folders.values(), ...others]));
}
