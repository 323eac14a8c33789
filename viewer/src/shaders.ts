// Particles' places and values are in a texture, one texel each; all that is drawn looks them up by number.

export const textureWidth = 1024;

const places = /* glsl */ `
  precision highp float;
  precision highp int;
  precision highp sampler2D;
  uniform sampler2D now;    // place and value
  uniform sampler2D start;  // place in the first frame
  uniform float magnification;
  vec4 texel(sampler2D from, float number) {
    int k = int(number + 0.5);
    return texelFetch(from, ivec2(k % ${textureWidth}, k / ${textureWidth}), 0);
  }
  vec3 place(float number) {
    vec3 x = texel(now, number).xyz;
    if (magnification == 1.0) return x;
    vec3 x0 = texel(start, number).xyz;
    return x0 + magnification * (x - x0);
  }
  float value(float number) { return texel(now, number).w; }
`;

/** Of things that are drawn many at once, as bands along them. */
const bundles = /* glsl */ `${places}
  in vec3 corner;           // along the band from 0 to 1, across from -1 to 1, and which one of the bundle
  in float bundle;          // number of its first band
  uniform sampler2D bands;  // two numbers of each
  uniform float bandCount;  // that are drawn
  bool isDrawn() { return bundle + corner.z < bandCount; }
  vec2 band() { return texel(bands, bundle + corner.z).xy; }
  const vec4 nowhere = vec4(2.0, 2.0, 2.0, 1.0); // not in the picture
`;

const paint = /* glsl */ `
  precision highp float;
  precision highp sampler2D;
  uniform sampler2D scale;      // colours
  uniform vec2 range;           // values at its ends
  uniform float plain;          // 1: no value is shown
  uniform vec3 plainColour;
  uniform float strength;       // of this kind of drawing beside others
  uniform float lift;           // how much lighter dark colours are drawn
  vec3 colourOf(float v) {
    if (plain > 0.5) return plainColour;
    float s = clamp((v - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    return texture(scale, vec2(s * 0.99609375 + 0.001953125, 0.5)).rgb;
  }
  // A key light over the viewer's left shoulder, sky and ground from above and below, a little gloss.
  vec3 lit(vec3 colour, vec3 n, vec3 toEye, vec3 up) {
    vec3 key = normalize(vec3(-0.45, 0.65, 0.75));
    float sky = 0.5 + 0.5 * dot(n, up);
    float diffuse = max(dot(n, key), 0.0);
    float gloss = pow(max(dot(n, normalize(key + toEye)), 0.0), 40.0);
    float rim = pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
    vec3 linear = pow(colour, vec3(2.2));
    linear *= 1.0 + lift * (1.0 - max(linear.r, max(linear.g, linear.b)));
    vec3 shade = linear * (0.20 + 0.38 * sky + 0.62 * diffuse) + vec3(0.10 * gloss) + linear * 0.18 * rim;
    return pow(min(shade, vec3(1.0)), vec3(1.0 / 2.2));
  }
`;

export const surface = {
  vertex: /* glsl */ `${places}
    in float number;
    uniform sampler2D normals;
    uniform float smoothed;
    out float v;
    out vec3 eye;
    out vec3 n;
    void main() {
      vec4 x = modelViewMatrix * vec4(place(number), 1.0);
      v = value(number);
      eye = x.xyz;
      n = smoothed > 0.5 ? mat3(modelViewMatrix) * texel(normals, number).xyz : vec3(0.0);
      gl_Position = projectionMatrix * x;
    }`,
  fragment: /* glsl */ `${paint}
    in float v;
    in vec3 eye;
    in vec3 n;
    uniform float smoothed;
    uniform vec3 up;
    out vec4 colour;
    void main() {
      vec3 m = smoothed > 0.5 ? normalize(n) : normalize(cross(dFdx(eye), dFdy(eye)));
      vec3 toEye = normalize(-eye);
      if (dot(m, toEye) < 0.0) m = -m;
      colour = vec4(lit(colourOf(v), m, toEye, up), 1.0);
    }`,
};

/** A picture that was drawn elsewhere, as it is. */
export const copy = {
  vertex: "out vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }",
  fragment: "precision highp float; uniform sampler2D picture; in vec2 at; out vec4 colour; void main() { colour = texture(picture, at); }",
};

/** Where a surface keeps the light of the sky from the ground. */
export const shadow = {
  vertex: /* glsl */ `${places}
    in float number;
    uniform float ground;
    void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(place(number).xy, ground, 1.0); }`,
  fragment: /* glsl */ `
    precision highp float;
    uniform float shade;
    out vec4 colour;
    void main() { colour = vec4(0.0, 0.0, 0.0, shade); }`,
};

/** Rods that face the viewer, round by their shading. */
export const rods = {
  vertex: /* glsl */ `${bundles}
    uniform float radius;
    uniform vec2 pixel;  // size of one at distance 1
    out float v;
    out float across;
    out vec3 axis;
    out vec3 eye;
    void main() {
      if (!isDrawn()) {
        gl_Position = nowhere;
        return;
      }
      vec2 ends = band();
      vec3 a = (modelViewMatrix * vec4(place(ends.x), 1.0)).xyz;
      vec3 b = (modelViewMatrix * vec4(place(ends.y), 1.0)).xyz;
      vec3 x = mix(a, b, corner.x);
      axis = normalize(b - a + vec3(1e-30));
      vec3 side = normalize(cross(axis, normalize(-x)) + vec3(1e-20));
      float least = 0.75 * pixel.y * max(-x.z, 0.0);
      x += side * corner.y * max(radius, least);
      v = mix(value(ends.x), value(ends.y), corner.x);
      across = corner.y;
      eye = x;
      gl_Position = projectionMatrix * vec4(x, 1.0);
    }`,
  fragment: /* glsl */ `${paint}
    in float v;
    in float across;
    in vec3 axis;
    in vec3 eye;
    uniform vec3 up;
    out vec4 colour;
    void main() {
      vec3 toEye = normalize(-eye);
      vec3 side = normalize(cross(axis, toEye) + vec3(1e-20));
      vec3 front = normalize(cross(side, axis));
      vec3 n = normalize(side * across + front * sqrt(max(0.0, 1.0 - across * across)));
      colour = vec4(lit(colourOf(v), n, toEye, up), 1.0);
    }`,
};

/** Lines of one pixel, for many. */
export const threads = {
  vertex: /* glsl */ `${places}
    in float number;
    out float v;
    void main() {
      v = value(number);
      gl_Position = projectionMatrix * modelViewMatrix * vec4(place(number), 1.0);
    }`,
  fragment: /* glsl */ `${paint}
    in float v;
    out vec4 colour;
    void main() { colour = vec4(colourOf(v) * strength, 1.0); }`,
};

export const dots = {
  vertex: /* glsl */ `${places}
    in float number;
    uniform float dotRadius;
    uniform vec2 pixel;
    uniform float chosen;
    out float v;
    out float mark;
    void main() {
      vec4 x = modelViewMatrix * vec4(place(number), 1.0);
      v = value(number);
      mark = abs(number - chosen) < 0.5 ? 1.0 : 0.0;
      gl_Position = projectionMatrix * x;
      gl_PointSize = clamp(2.0 * dotRadius * (1.0 + mark) / (pixel.y * max(-x.z, 1e-6)), 1.5, 64.0);
    }`,
  fragment: /* glsl */ `${paint}
    in float v;
    in float mark;
    uniform vec3 up;
    out vec4 colour;
    void main() {
      vec2 p = vec2(2.0 * gl_PointCoord.x - 1.0, 1.0 - 2.0 * gl_PointCoord.y);
      float rr = dot(p, p);
      if (rr > 1.0) discard;
      vec3 n = vec3(p, sqrt(1.0 - rr));
      vec3 c = mix(colourOf(v), vec3(0.95, 0.45, 0.1), mark);
      colour = vec4(lit(c, n, vec3(0.0, 0.0, 1.0), up), 1.0);
    }`,
};

/** Fibres: bands that face the viewer, smooth through the points of each, lit as thin lines are. [Kajiya, Kay 1989] */
export const fibres = {
  vertex: /* glsl */ `${bundles}
    uniform float fibreRadius;
    uniform float thicker;
    uniform vec2 pixel;
    uniform vec3 up;
    out float v;
    out float light;
    out float gloss;
    void main() {
      if (!isDrawn()) {
        gl_Position = nowhere;
        return;
      }
      vec2 strand = band(); // its first point, and how many
      float last = strand.y - 1.0;
      float s = corner.x * last;
      float i = min(floor(s), max(last - 1.0, 0.0));
      float f = s - i;
      vec3 a = place(strand.x + max(i - 1.0, 0.0)), b = place(strand.x + i);
      vec3 c = place(strand.x + min(i + 1.0, last)), d = place(strand.x + min(i + 2.0, last));
      // Catmull-Rom
      vec3 m = 0.5 * (c - a), n = 0.5 * (d - b);
      vec3 p = b + f * (m + f * (3.0 * (c - b) - 2.0 * m - n + f * (2.0 * (b - c) + m + n)));
      vec3 tangent = m + f * (2.0 * (3.0 * (c - b) - 2.0 * m - n) + f * 3.0 * (2.0 * (b - c) + m + n));
      vec3 x = (modelViewMatrix * vec4(p, 1.0)).xyz;
      vec3 along = normalize(mat3(modelViewMatrix) * tangent + vec3(1e-30));
      vec3 toEye = normalize(-x);
      vec3 side = normalize(cross(along, toEye) + vec3(1e-20));
      float taper = 1.0 - 0.6 * corner.x;
      float width = max(fibreRadius * taper, 0.6 * pixel.y * max(-x.z, 0.0)) * thicker;
      x += side * corner.y * width;
      vec3 key = normalize(vec3(-0.45, 0.65, 0.75));
      float across = sqrt(max(0.0, 1.0 - pow(dot(along, key), 2.0)));
      float shine = dot(along, normalize(key + toEye));
      float own = fract(sin(strand.x * 12.9898) * 43758.5453);
      light = (0.42 + 0.62 * across) * (0.82 + 0.3 * own);
      gloss = 0.28 * pow(max(0.0, 1.0 - shine * shine), 30.0);
      v = mix(value(strand.x + i), value(strand.x + min(i + 1.0, last)), f);
      gl_Position = projectionMatrix * vec4(x, 1.0);
    }`,
  fragment: /* glsl */ `${paint}
    in float v;
    in float light;
    in float gloss;
    out vec4 colour;
    void main() {
      vec3 c = plain > 0.5 ? vec3(0.45, 0.29, 0.18) : colourOf(v);
      colour = vec4(min(c * light + vec3(gloss), vec3(1.0)), 1.0);
    }`,
};

/** Obstacles: rigid surfaces of one colour. */
export const solid = {
  vertex: /* glsl */ `
    out vec3 eye;
    out vec3 n;
    out vec3 place;
    out vec3 across;
    in float contactTime;
    out float touched;
    void main() {
      place = position;
      touched = contactTime;
      across = abs(normal);
      vec4 x = modelViewMatrix * vec4(position, 1.0);
      eye = x.xyz;
      n = mat3(modelViewMatrix) * normal;
      gl_Position = projectionMatrix * x;
    }`,
  fragment: /* glsl */ `${paint}
    in vec3 eye;
    in vec3 n;
    in vec3 place;
    in vec3 across;
    in float touched;
    uniform vec3 up;
    uniform float longest;  // touched, as long as the end of the scale; 0: not shown
    uniform float opacity;
    uniform float spacing;  // of lines on planes; 0: none
    out vec4 colour;
    void main() {
      vec3 toEye = normalize(-eye);
      vec3 m = normalize(n);
      if (dot(m, toEye) < 0.0) m = -m;
      vec3 own = longest > 0.0 ? texture(scale, vec2(sqrt(clamp(touched / longest, 0.0, 1.0)), 0.5)).rgb : plainColour;
      colour = vec4(lit(own, m, toEye, up), opacity);
      if (spacing <= 0.0) return;
      vec2 q = (across.z > 0.6 ? place.xy : across.x > 0.6 ? place.yz : place.xz) / spacing;
      vec2 away = abs(fract(q + 0.5) - 0.5) / fwidth(q);
      float line = clamp(1.0 - min(away.x, away.y), 0.0, 1.0) * clamp(0.25 / max(fwidth(q.x), fwidth(q.y)) - 0.5, 0.0, 1.0);
      colour = mix(colour, vec4(0.6 * colour.rgb, 0.8), 0.5 * line);
    }`,
};
