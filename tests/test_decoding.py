"""Decoding: what is found, that it depends on nothing it should not, and the attention with it."""

import warnings

import pytest
import torch
from conftest import CONFIGS, SOURCE_VOCAB, TARGET_VOCAB, build
from copying import trained
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib.decoding import Translation, force, translate
from lib.recurrent import RecurrentConfig, RecurrentTranslator
from lib.search import beam_search, greedy
from lib.text import BOS, EOS, PAD, UNK, Pair, Vocabulary, pad
from lib.training import evaluate
from lib.transformer import Transformer

LENGTHS = (3, 7, 1, 5, 5, 2)
SENTENCES = [[f"s{(7 * i + 5 * j) % 12}" for j in range(n)] for i, n in enumerate(LENGTHS)]
KINDS = ("plain GRU", "additive LSTM, two layers, one direction", "Transformer")


@pytest.fixture(params=CONFIGS)
def half_trained(request):
    """One of each kind, decided enough that no two hypotheses are tied."""
    return trained(request.param)


def never_ends(model):
    output = (
        model.decoder.output if isinstance(model, Transformer) else model.decoder.readout.output
    )
    with torch.no_grad():
        output.bias[EOS] = -100
    return model


def encode(model, sentences):
    source = pad([model.source_vocab.encode(sentence) for sentence in sentences])
    return model.encode(source, source != PAD)


def next_log_probs(model, sentence, prefix):
    """What follows `prefix`: one sentence, no padding, no cache."""
    source = torch.tensor([model.source_vocab.encode(sentence)])
    target = torch.tensor([[BOS, *prefix]])
    return model(source, source != PAD, target).logits[0, -1].log_softmax(-1).tolist()


def plain_beam_search(model, sentence, beam, limit, length_penalty):
    """Beam search as the textbook has it: one sentence, no cache, and always up to the limit."""
    live, done = [((), 0.0)], []
    for _ in range(limit):
        extensions = [
            ((*prefix, token), total + log_prob)
            for prefix, total in live
            for token, log_prob in enumerate(next_log_probs(model, sentence, prefix))
            if token not in (PAD, BOS, UNK)
        ]
        live = []
        for tokens, total in sorted(extensions, key=lambda item: -item[1])[:beam]:
            ended = tokens[-1] == EOS or len(tokens) == limit
            (done if ended else live).append((tokens, total))

    def rank(item):
        return item[0][-1] == EOS, item[1] / len(item[0]) ** length_penalty

    return sorted(done, key=rank, reverse=True)[:beam]


def assert_found(hypotheses, expected):
    assert [(*h.tokens, EOS) if h.finished else h.tokens for h in hypotheses] == [
        tokens for tokens, _ in expected
    ]
    assert [h.log_prob for h in hypotheses] == pytest.approx(
        [total for _, total in expected], abs=1e-4
    )


# ── search ───────────────────────────────────────────────────────────────────────────────


@torch.no_grad()
def test_a_beam_of_one_is_greedy_search(half_trained):
    memory = encode(half_trained, SENTENCES)
    limits = [9] * len(SENTENCES)
    found = beam_search(half_trained, memory, limits, beam=1)
    for [hypothesis], expected in zip(found, greedy(half_trained, memory, limits), strict=True):
        assert hypothesis[0] == expected[0]
        assert hypothesis[1:] == pytest.approx(expected[1:])


@torch.no_grad()
@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("beam", [2, 5])
@pytest.mark.parametrize("kind", KINDS)
def test_batched_cached_search_that_stops_early_finds_what_the_plain_one_finds(
    kind, beam, length_penalty
):
    model = trained(kind)
    limits = [6, 9, 7, 8, 2, 6]
    found = beam_search(
        model, encode(model, SENTENCES), limits, beam=beam, length_penalty=length_penalty
    )
    for sentence, limit, hypotheses in zip(SENTENCES, limits, found, strict=True):
        assert_found(hypotheses, plain_beam_search(model, sentence, beam, limit, length_penalty))


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_as_large_as_the_space_is_exhaustive(kind):
    config = CONFIGS[kind]
    make = RecurrentTranslator if isinstance(config, RecurrentConfig) else Transformer
    torch.manual_seed(0)
    model = make(SOURCE_VOCAB, Vocabulary(["a", "b", "c"]), config).eval()
    [found] = beam_search(model, encode(model, SENTENCES[:1]), [4], beam=200)
    space = {(): 0.0}
    complete = {}
    for _ in range(4):
        longer = {}
        for prefix, total in space.items():
            for token, log_prob in enumerate(next_log_probs(model, SENTENCES[0], prefix)):
                if token == EOS:
                    complete[(*prefix, EOS)] = total + log_prob
                elif token not in (PAD, BOS, UNK):
                    longer[(*prefix, token)] = total + log_prob
        space = longer
    assert (len(complete), len(space)) == (1 + 3 + 9 + 27, 81)

    def mean(item):
        return item[1] / len(item[0])

    ranked = [sorted(group.items(), key=mean, reverse=True) for group in (complete, space)]
    assert_found(found, ranked[0] + ranked[1])


def test_each_step_feeds_one_token_and_finished_sentences_leave_the_batch(
    half_trained, monkeypatch
):
    seen = []
    decode = half_trained.decode

    def spy(target, memory, cache=None, **options):
        seen.append((tuple(target.shape), cache is None))
        return decode(target, memory, cache, **options)

    monkeypatch.setattr(half_trained, "decode", spy)
    translations = translate(half_trained, SENTENCES, max_len=9, need_weights=False)
    lengths = [len(t.outputs) for t in translations]
    expected = [
        ((sum(length > step for length in lengths), 1), step == 0) for step in range(max(lengths))
    ]
    assert seen == expected


@pytest.mark.parametrize("beam", [1, 3])
def test_a_translation_ends_before_eos_or_is_marked_as_cut_off(half_trained, beam):
    finished = set()
    for max_len in (1, 3, 30):
        for translation in translate(half_trained, SENTENCES, beam=beam, max_len=max_len):
            for candidate in translation.candidates or [translation]:
                assert not {"<pad>", "<bos>", "<eos>"} & set(candidate.tokens)
                assert len(candidate.outputs) <= max_len
                assert candidate.finished == (candidate.outputs[-1:] == ("<eos>",))
                assert candidate.finished or len(candidate.tokens) == max_len
                assert len(candidate.inputs) == len(candidate.outputs)
                finished.add(candidate.finished)
    assert finished == {True, False}


def test_the_default_limit_is_twice_the_source_and_ten(model):
    translations = translate(never_ends(model), SENTENCES)
    for sentence, translation in zip(SENTENCES, translations, strict=True):
        assert (len(translation.tokens), translation.finished) == (2 * len(sentence) + 10, False)


# ── translate ────────────────────────────────────────────────────────────────────────────


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.lists(st.sampled_from(SOURCE_VOCAB.tokens[4:]), min_size=1, max_size=8),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 6),
    st.sampled_from((1, 3)),
)
@pytest.mark.parametrize("kind", KINDS)
def test_neither_company_nor_padding_changes_a_translation(kind, sentences, batch_size, beam):
    """Promise 3: alone or in any batch, in the caller's order. (In fp64, where no two are tied.)"""
    model = trained(kind).double()
    together = translate(model, sentences, beam=beam, max_len=8, batch_size=batch_size)
    for sentence, found in zip(sentences, together, strict=True):
        [alone] = translate(model, [sentence], beam=beam, max_len=8)
        assert found.source == (*sentence, "<eos>")
        assert found.tokens == alone.tokens
        assert found.score == pytest.approx(alone.score, abs=1e-5)
        assert found.attention.keys() == alone.attention.keys()
        for weights_together, weights_alone in zip(
            found.attention.values(), alone.attention.values(), strict=True
        ):
            torch.testing.assert_close(weights_together, weights_alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("beam", [1, 4])
def test_a_score_is_minus_the_loss_of_the_translation_found(half_trained, beam):
    """Promise 1: what search added up step by step is what teacher forcing gives."""
    finished = [t for t in translate(half_trained, SENTENCES, beam=beam) if t.finished]
    assert finished
    for translation in finished:
        pair = Pair(translation.source[:-1], translation.tokens)
        assert translation.score == pytest.approx(-evaluate(half_trained, [pair]), abs=1e-5)


@torch.no_grad()
def test_attention_is_that_of_decoding_step_by_step(half_trained):
    """Promise 1, for the weights: with the cache, one token a step."""
    for sentence, translation in zip(SENTENCES, translate(half_trained, SENTENCES), strict=True):
        source = torch.tensor([half_trained.source_vocab.encode(sentence)])
        memory = half_trained.encode(source, source != PAD, need_weights=True)
        weights, cache = [], None
        for token in [BOS, *half_trained.target_vocab.encode(translation.tokens)][
            : len(translation.inputs)
        ]:
            decoded = half_trained.decode(torch.tensor([[token]]), memory, cache, need_weights=True)
            cache = decoded.cache
            weights.append(decoded.attention)
        assert translation.attention.keys() == memory.attention.keys() | weights[0].keys()
        for kind, found in translation.attention.items():
            if kind == "encoder":
                torch.testing.assert_close(found, memory.attention[kind][0], atol=1e-5, rtol=0)
                continue
            for query, step in enumerate(weights):
                expected = step[kind][0, :, :, 0]
                width = expected.shape[-1]
                assert found[:, :, query, width:].eq(0).all()
                torch.testing.assert_close(found[:, :, query, :width], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("beam", [1, 3])
def test_attention_fits_its_labels_sums_to_one_and_never_looks_ahead(half_trained, beam):
    """Promises 2 and 5: no padding is left, rows sum to one, the decoder is causal."""
    for translation in translate(half_trained, SENTENCES, beam=beam, max_len=8):
        for candidate in translation.candidates or [translation]:
            inputs, outputs = len(candidate.inputs), len(candidate.outputs)
            source = len(candidate.source)
            shapes = {
                "encoder": (source, source),
                "decoder": (inputs, inputs),
                "cross": (outputs, source),
            }
            for kind, weights in candidate.attention.items():
                assert weights.shape[2:] == shapes[kind]
                torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
            if "decoder" in candidate.attention:
                assert candidate.attention["decoder"].triu(1).eq(0).all()


def test_attention_comes_from_models_that_have_it_and_only_on_request():
    kinds = {
        "plain GRU": set(),
        "additive": {"cross"},
        "Transformer": {"encoder", "decoder", "cross"},
    }
    for kind, expected in kinds.items():
        model = build(kind)
        [with_weights] = translate(model, [["s1", "s2"]])
        [without] = translate(model, [["s1", "s2"]], need_weights=False)
        assert set(with_weights.attention) == expected
        assert without.attention == {}
        assert without.tokens == with_weights.tokens


def test_candidates_are_the_best_first_and_each_once(half_trained):
    for translation in translate(half_trained, SENTENCES, beam=4, max_len=9):
        candidates = translation.candidates
        assert len(candidates) == 4
        assert candidates[0] == translation
        assert len({c.outputs for c in candidates}) == 4
        ranks = [(c.finished, c.score) for c in candidates]
        assert ranks == sorted(ranks, reverse=True)
    assert all(t.candidates == () for t in translate(half_trained, SENTENCES))


def test_length_penalty_zero_ranks_by_probability():
    model = trained("Transformer")
    for translation in translate(model, SENTENCES, beam=4, max_len=9, length_penalty=0.0):
        [forced] = force(model, [Pair(translation.source[:-1], translation.tokens)])
        if translation.finished:
            assert translation.score == pytest.approx(forced.score * len(forced.outputs), abs=1e-5)


def test_text_is_tokenised_and_tokens_are_taken_as_they_are():
    model = build("additive")
    from_text, from_tokens = translate(model, ["S1  s2", ("s1", "s2")])
    assert from_text == from_tokens
    assert from_text.source == ("s1", "s2", "<eos>")
    assert translate(model, []) == []


def test_unknown_words_are_named_once_in_one_warning_and_in_their_translation():
    model = build("additive")
    sentences = ["s1 zebra s2", "yak zebra zebra", "s1"]
    with pytest.warns(UserWarning, match="<unk>: 'zebra', 'yak'$") as caught:
        translations = translate(model, sentences)
    assert len(caught) == 1
    assert [t.unknown for t in translations] == [("zebra",), ("yak", "zebra"), ()]
    assert translations[0].source == ("s1", "zebra", "s2", "<eos>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert translate(model, sentences, warn=False) == translations


@pytest.mark.parametrize(
    ("sentences", "options", "error", "message"),
    [
        ("s1 s2", {}, TypeError, r"write \['s1 s2'\]"),
        (["s1", ""], {}, ValueError, r"sentence 1 \(''\) is empty"),
        (["  \u202f "], {}, ValueError, "sentence 0 .* is empty"),
        ([["s1"], []], {}, ValueError, r"sentence 1 \(\[\]\) is empty"),
        (["s1"], {"beam": 0}, ValueError, "beam=0 must be at least 1"),
        (["s1"], {"max_len": 0}, ValueError, "max_len=0 must be at least 1"),
        (["s1"], {"batch_size": -1}, ValueError, "batch_size=-1 must be at least 1"),
        (["s1"], {"length_penalty": -0.5}, ValueError, "length_penalty=-0.5 is negative"),
    ],
)
def test_what_cannot_be_translated_is_refused_with_a_hint(sentences, options, error, message):
    with pytest.raises(error, match=message):
        translate(build("additive"), sentences, **options)


def test_a_hidden_word_gets_no_weight_and_nothing_hidden_changes_nothing(half_trained):
    sentence = ("s1", "s2", "s3")
    plain, same = (translate(half_trained, [sentence], hidden=h)[0] for h in ((), []))
    assert plain == same
    hidden = translate(half_trained, [sentence], hidden=[1])[0]
    assert hidden.source == plain.source
    if "cross" not in hidden.attention:
        return
    weights = hidden.attention["cross"]
    assert (weights[..., 1] == 0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))


@pytest.mark.parametrize("hidden", [[-1], [4], [0, 9]])
def test_a_hidden_place_outside_the_sentence_is_refused(hidden):
    with pytest.raises(ValueError, match=r"has the places 0 to 3, <eos> included"):
        translate(build("additive"), [("s1", "s2", "s3")], hidden=hidden)


@pytest.mark.parametrize("sentence", [3, [1, 2], Pair(("s1",), ("t1",))])
def test_what_is_neither_text_nor_tokens_is_refused(sentence):
    with pytest.raises(TypeError):
        translate(build("additive"), [sentence])


def test_a_model_that_answers_nan_is_reported(model):
    with torch.no_grad():
        next(model.parameters()).fill_(torch.nan)
    for beam in (1, 2):
        with pytest.raises(FloatingPointError, match="output at step 1 is not a number"):
            translate(model, SENTENCES, beam=beam)


def test_the_mode_of_every_part_stays_and_training_can_go_on(half_trained):
    """Dropout is off during translation, whatever the model's mode; also after an error."""
    expected = translate(half_trained, SENTENCES)
    half_trained.train()
    half_trained.encoder.eval()
    modes = [module.training for module in half_trained.modules()]
    found = translate(half_trained, SENTENCES)
    assert [t.outputs for t in found] == [t.outputs for t in expected]
    assert [module.training for module in half_trained.modules()] == modes
    with pytest.raises(ValueError, match="empty"):
        translate(half_trained, ["s1", ""])
    assert [module.training for module in half_trained.modules()] == modes
    for weights in found[0].attention.values():
        scale = torch.ones((), requires_grad=True)
        (scale * weights).sum().backward()  # inference-mode tensors would refuse


# ── forced decoding and display ──────────────────────────────────────────────────────────


def test_forced_decoding_scores_and_shows_the_given_target(model):
    words = TARGET_VOCAB.tokens[4:]
    pairs = [
        Pair(tuple(sentence), tuple(words[i : i + 1 + 2 * (i % 3)]))
        for i, sentence in enumerate(SENTENCES)
    ]
    for pair, found in zip(pairs, force(model, pairs, batch_size=4), strict=True):
        assert (found.source, found.tokens) == ((*pair.source, "<eos>"), pair.target)
        assert found.score == pytest.approx(-evaluate(model, [pair]), abs=1e-5)
        for kind, weights in found.attention.items():
            queries = pair.source if kind == "encoder" else pair.target
            keys = pair.target if kind == "decoder" else pair.source
            assert weights.shape[2:] == (len(queries) + 1, len(keys) + 1)
            torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert force(model, []) == []


def test_a_translation_shows_as_its_text_and_a_short_score():
    translation = Translation(("go", ".", "<eos>"), ("j'", "ai", "perdu", "."), -0.001, {})
    assert str(translation) == translation.text == "j'ai perdu ."
    assert repr(translation) == """Translation("j'ai perdu .", score=0.00)"""
    cut_off = Translation(("go", "<eos>"), ("va", "va"), -1.234, {}, finished=False)
    assert repr(cut_off) == "Translation('va va', score=-1.23, cut off)"
    assert cut_off.inputs == ("<bos>", "va")
