// What the page computes itself, from the model's own queries, keys, values and residual stream.
const arithmetic = (() => {
    function dot(a, b, at_a = 0, at_b = 0, count = a.length) {
        let sum = 0;
        for (let i = 0; i < count; ++i) sum += a[at_a + i] * b[at_b + i];
        return sum;
    }
    const length_of = (a) => Math.sqrt(dot(a, a));
    const cosine = (a, b) => dot(a, b) / (length_of(a) * length_of(b) || 1);
    function softmax(scores, temperature = 1) {
        let largest = -Infinity, sum = 0;
        for (const score of scores) largest = Math.max(largest, score);
        const weights = new Float32Array(scores.length);
        for (let i = 0; i < scores.length; ++i) sum += weights[i] = Math.exp((scores[i] - largest) / temperature);
        for (let i = 0; i < weights.length; ++i) weights[i] /= sum;
        return weights;
    }
    const sigmoid = (x) => 1 / (1 + Math.exp(-x));
    // In nats.
    const entropy = (weights) => -weights.reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
    return {dot, length_of, cosine, softmax, sigmoid, entropy};
})();

// The classifier's attention.
const attention = (() => {
    const about = lesson.classifier ?? {};
    const {tokens, heads, head_size, first_cell, scale, kept_layers} = about;
    const wide = heads * head_size;

    // One token's vector of a head, of kind "q", "k" or "v".
    const vector = (kind, layer, head, token) =>
        tensors.get(`${kind}.${layer}`).values.subarray(token * wide + head * head_size,
                                                       token * wide + (head + 1) * head_size);
    // q . k of one token with each.
    function scores(layer, head, token) {
        const q = vector("q", layer, head, token), k = tensors.get(`k.${layer}`).values;
        const result = new Float32Array(tokens);
        for (let i = 0; i < tokens; ++i)
            result[i] = arithmetic.dot(q, k, 0, i * wide + head * head_size, head_size);
        return result;
    }
    const weights = (layer, head, token, temperature = 1) =>
        arithmetic.softmax(scores(layer, head, token).map((score) => score * scale), temperature);
    // The mean of the values.
    function output(layer, head, weights) {
        const v = tensors.get(`v.${layer}`).values, result = new Float32Array(head_size);
        for (let i = 0; i < tokens; ++i)
            for (let d = 0; d < head_size; ++d)
                result[d] += weights[i] * v[i * wide + head * head_size + d];
        return result;
    }

    // The mean of the heads' weights, (tokens, tokens), and how far each head looks: the distance from
    // patch to patch in pixels of the model's picture, weighted by attention, averaged over patches.
    const wholes = new Map();
    function whole(layer) {
        if (wholes.has(layer)) return wholes.get(layer);
        const mean = new Float32Array(tokens * tokens), distances = new Float32Array(heads);
        const [columns] = about.place.grid, [width, height] = about.patch;
        for (let head = 0; head < heads; ++head) {
            let far = 0, patches = 0;
            for (let token = 0; token < tokens; ++token) {
                const row = weights(layer, head, token), from = token - first_cell;
                for (let i = 0; i < tokens; ++i) mean[token * tokens + i] += row[i] / heads;
                if (from < 0) continue;
                let sum = 0, all = 0;
                for (let i = first_cell; i < tokens; ++i) {
                    const to = i - first_cell;
                    const x = (to % columns - from % columns) * width;
                    const y = (Math.floor(to / columns) - Math.floor(from / columns)) * height;
                    sum += row[i] * Math.hypot(x, y);
                    all += row[i];
                }
                far += sum / all;
                ++patches;
            }
            distances[head] = far / patches;
        }
        wholes.set(layer, {mean, distances});
        return wholes.get(layer);
    }
    // Rollout (Abnar and Zuidema 2020) to one token through the layers up to one: (tokens).
    function rollout(token, until) {
        let row = new Float32Array(tokens);
        row[token] = 1;
        for (let layer = until; layer >= 0; --layer) {
            const {mean} = whole(layer), next = new Float32Array(tokens);
            for (let j = 0; j < tokens; ++j) {
                if (row[j] === 0) continue;
                for (let i = 0; i < tokens; ++i) next[i] += 0.5 * row[j] * mean[j * tokens + i];
                next[j] += 0.5 * row[j];
            }
            row = next;
        }
        return row;
    }

    const cells_of = (row) => row.subarray(first_cell, first_cell + about.place.grid[0] * about.place.grid[1]);
    const has_all_layers = kept_layers?.length === about.layers;
    // Probabilities of logits.
    const probabilities = (logits) =>
        about.independent ? Float32Array.from(logits, arithmetic.sigmoid) : arithmetic.softmax(logits);
    // The numbers of the likeliest classes.
    const best_of = (values, count) =>
        [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, count);
    return {vector, scores, weights, output, whole, rollout, cells_of, has_all_layers, probabilities, best_of};
})();
