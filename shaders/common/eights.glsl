// Loads of eight halves by address, because drivers check the bounds of every load from a binding.
// The tensors are bound all the same, so that the recorder sees the hazards.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Eights { uvec4 at[]; };
uvec2 address(uint words[2]) { return uvec2(words[0], words[1]); }
