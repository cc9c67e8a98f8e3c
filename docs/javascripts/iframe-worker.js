// Browsers refuse web workers on pages that come from file://. There, search runs in a hidden frame
// of the page instead, which receives and sends the same messages.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.title = "search"
      document.body.append(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = data =>
        this.dispatchEvent(new MessageEvent("message", { data }))
      this.inside.importScripts = () => undefined
      const script = this.inside.document.createElement("script")
      this.ready = new Promise(loaded => script.addEventListener("load", loaded))
      script.src = url
      this.inside.document.body.append(script)
    }

    postMessage(data) {
      this.ready.then(() =>
        this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })))
    }

    terminate() {
      this.inside.frameElement.remove()
    }
  }
}
