// The page's data, its texts, and the tensors that it carries.
const lesson = JSON.parse(page.$("data").textContent);

const texts = (() => {
    // A text by its path, "words.layer", with {0}, {1} replaced.
    function of(path, ...values) {
        const text = path.split(".").reduce((part, key) => part?.[key], lesson.texts) ?? path;
        return typeof text === "string" ? text.replace(/\{(\d)\}/g, (_, i) => values[i]) : text;
    }
    // A paragraph may be only for some models: {"registers": "..."}; "no_registers" is for the others. It may have parts.
    const {classifier = {}, cells, detector, caption} = lesson;
    const holds = {
        class_answers: classifier.first_cell > 0 && !classifier.reads_patches,
        class_describes: classifier.first_cell > 0 && Boolean(classifier.reads_patches),
        class_turns: classifier.first_cell > 0 && !classifier.lens,
        pooled: Boolean(classifier.pooled),
        registers: classifier.extra === "registers",
        distilled: classifier.extra === "distillation",
        added_positions: Boolean(classifier.positions),
        rotary: Boolean(classifier.rotary),
        without_positions: Boolean(classifier.without_positions),
        lens: Boolean(classifier.lens),
        heads_off: classifier.off_layers?.length > 0,
        cosine: Boolean(cells?.cosine),
        detection_tokens: Boolean(detector?.detection_tokens),
        points: Boolean(detector?.levels),
        encoder: Boolean(detector?.encoder),
        recurrent: Boolean(lesson.recurrent),
        masked: Boolean(caption?.self_attention),
    };
    function paragraphs(path) {
        const pieces = (one) => {
            if (typeof one === "string") return [one];
            if (Array.isArray(one)) return one.flatMap(pieces).length > 0 ? [one.flatMap(pieces).join(" ")] : [];
            const [[when, text]] = Object.entries(one);
            const [name, not] = when.startsWith("no_") ? [when.slice(3), true] : [when, false];
            return Boolean(holds[name]) !== not ? [text] : [];
        };
        const all = of(path);
        return (Array.isArray(all) ? all : [all]).flatMap(pieces);
    }
    return {of, paragraphs};
})();

// Half-precision floats in base64. Each is decoded when it is first asked for.
const tensors = (() => {
    const decoded = new Map();

    const element = (name) => document.getElementById("tensor-" + name);
    const has = (name) => decoded.has(name) || element(name) !== null;

    function float_of(half) {
        const sign = half & 0x8000 ? -1 : 1, exponent = half >> 10 & 31, fraction = half & 1023;
        if (exponent === 31) return fraction ? NaN : sign * Infinity;
        return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
    }
    let table = null;
    function floats_of(bytes) {
        table ??= Float32Array.from({length: 65536}, (_, half) => float_of(half));
        const floats = new Float32Array(bytes.length / 2);
        for (let i = 0; i < floats.length; ++i) floats[i] = table[bytes[2 * i] | bytes[2 * i + 1] << 8];
        return floats;
    }
    // {shape, values}
    function get(name) {
        if (!decoded.has(name)) {
            const shape = element(name).dataset.shape.split(" ").map(Number);
            decoded.set(name, {shape, values: floats_of(page.bytes_of("tensor-" + name))});
        }
        return decoded.get(name);
    }
    // Row i of a tensor, whose first dimension counts rows.
    function row(name, i) {
        const {shape, values} = get(name), each = values.length / shape[0];
        return values.subarray(i * each, (i + 1) * each);
    }
    return {has, get, row};
})();
