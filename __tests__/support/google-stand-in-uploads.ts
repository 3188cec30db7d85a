import { createHash } from "node:crypto";
import { type IncomingHttpHeaders } from "node:http";

/** Path of signed URLs on the stand-in. */
export const UPLOAD_PATH = "/signed-upload/";

/** Part of every signed URL and nothing else; must not leak, because the URL allows writing the file. */
export const SIGNATURE_MARK = "5ec2e7516";

/** Headers covered by a signature, as observed. */
const SIGNED_HEADERS = {
  "Content-Type": "application/octet-stream",
  "x-goog-content-length-range": "0,104857600",
} as const;

/** Response to a write to a signed URL: Cloud Storage answers with XML or an empty body. */
export interface UploadAnswer {
  readonly status: number;
  readonly body: string;
}

export interface UploadRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Signed URLs of Cloud Storage and what was written to them. */
export class SignedUploads {
  /** Bytes by object. */
  readonly objects = new Map<string, Buffer>();
  private readonly addresses = new Map<string, string>();

  /** An `UploadFileInfo`. */
  sign(
    host: string,
    object: string,
  ): { readonly signedUri: string; readonly headers: Readonly<Record<string, string>> } {
    const id = createHash("sha256").update(`${object} ${this.addresses.size}`).digest("hex").slice(0, 16);
    this.addresses.set(id, object);
    const query = `X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-SignedHeaders=content-type%3Bhost&X-Goog-Signature=${SIGNATURE_MARK}${id}`;
    return { signedUri: `http://${host}${UPLOAD_PATH}${id}?${query}`, headers: SIGNED_HEADERS };
  }

  write({ method, url, headers, bytes }: UploadRequest): UploadAnswer {
    const id = url.pathname.slice(UPLOAD_PATH.length);
    const object = this.addresses.get(id);
    const signed = Object.entries(SIGNED_HEADERS).every(([name, value]) => headers[name.toLowerCase()] === value);
    const surplus = Object.keys(headers).some((name) => name.startsWith("x-goog-") && !(name in SIGNED_HEADERS));
    const signature = url.searchParams.get("X-Goog-Signature");
    if (headers.authorization !== undefined) {
      return refusal(400, "InvalidArgument", "Only one authentication mechanism is allowed.");
    }
    if (object === undefined || method !== "PUT" || !signed || surplus || signature !== SIGNATURE_MARK + id) {
      return refusal(403, "SignatureDoesNotMatch", "The request signature we calculated does not match.", url.href);
    }
    this.objects.set(object, bytes);
    return { status: 200, body: "" };
  }
}

/** A refusal. Real ones repeat parts of the URL, which a script must not print. */
function refusal(status: number, code: string, message: string, address = ""): UploadAnswer {
  const details = address === "" ? "" : `<StringToSign>${address.replaceAll("&", "&amp;")}</StringToSign>`;
  return {
    status,
    body: `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>${message}</Message>${details}</Error>`,
  };
}
