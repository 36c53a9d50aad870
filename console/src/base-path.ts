/** BASE_URI_PATH of the server, such as `/flags`, or an empty string. The server renders it into the page. */
export const BASE_PATH: string = document.querySelector<HTMLMetaElement>('meta[name="burgee-base"]')?.content ?? '';
